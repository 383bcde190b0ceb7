"""The tiny model in float32: an engine that samples with it, and the actor to compare with."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoModelForCausalLM

from rolltape.bridge import Reply


class TorchEngine:
    """`version`: the weight version that replies name."""

    def __init__(self, path: str, version: int | None = None) -> None:
        self.model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        self.generator = torch.Generator().manual_seed(5)
        self.version = version

    async def __call__(self, ids: list[int], sampling: dict[str, Any], _: str) -> Reply:
        stops = sampling.get("stop_token_ids") or []
        tokens, logprobs = self.sample(ids, sampling["max_new_tokens"], sampling["temperature"], stops)
        return tokens, logprobs, "stop" if tokens[-1] in stops else "length", self.version

    def sample(
        self, prompt: list[int], most: int, temperature: float, stops: list[int]
    ) -> tuple[list[int], list[float]]:
        tokens: list[int] = []
        logprobs: list[float] = []
        while len(tokens) < most and (not tokens or tokens[-1] not in stops):
            with torch.no_grad():
                logits = self.model(torch.tensor([[*prompt, *tokens]])).logits[0, -1].float() / temperature
            scores = torch.log_softmax(logits, -1)
            token = int(torch.multinomial(scores.exp(), 1, generator=self.generator))
            tokens.append(token)
            logprobs.append(float(scores[token]))
        return tokens, logprobs
