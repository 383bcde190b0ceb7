"""An engine for `engine_bridge` that samples from a transformers model in this process, such as the one that is trained."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import torch

from .engine_bridge import Reason, Reply
from .trainer_engines import GRAMMARS

# How long the first call waits for others that are generated together with it.
_GATHER_SECONDS = 0.005
# The values of these options that change nothing.
_NEUTRAL = {"frequency_penalty": 0, "presence_penalty": 0, "repetition_penalty": 1, "logit_bias": None}
_UNSUPPORTED = (*_NEUTRAL, *GRAMMARS)


@dataclass
class _Call:
    ids: list[int]
    sampling: dict[str, Any]
    generator: torch.Generator
    reply: Future[Reply] = field(default_factory=Future)
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    reason: Reason | None = None


class TransformersEngine:
    """Samples from a model of transformers as it is, so an optimizer step needs no transfer of weights.

    The model is used only while the engine is open: `with engine: …`. Open it where the trainer does not use the model, as in
    the `rollout_func` of TRL. Calls that arrive while it is closed wait. Calls that run when it closes return what
    they have, and the proxy continues them when it is open again.

    model: a causal language model, with adapters of PEFT or without. It is in evaluation mode while it generates.
    tokenizer: finds stop strings.
    version: returns the weight version, such as the trainer's step. Without it, the proxy's own version counts.
    max_batch: the most calls that are generated together. Others wait until all of these have ended.

    Log probabilities are log_softmax(logits / temperature) over the whole vocabulary. Calls with penalties, `logit_bias` or a
    grammar fail.
    """

    def __init__(
        self, model: Any, tokenizer: Any, *, version: Callable[[], int] | None = None, max_batch: int = 64
    ) -> None:
        self._model, self._tokenizer, self._version, self._max_batch = model, tokenizer, version, max_batch
        self._draws = torch.Generator(model.device)
        self._draws.seed()
        self._waiting: queue.SimpleQueue[_Call] = queue.SimpleQueue()
        # Held while the engine is closed, and while it generates.
        self._closed = threading.Lock()
        self._closed.acquire()
        self._is_closing = False
        # A daemon, because calls of the last episodes may wait for an engine that is never opened again.
        threading.Thread(target=self._run, name="rolltape-engine", daemon=True).start()

    def __enter__(self) -> TransformersEngine:
        self._is_closing = False
        self._closed.release()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_closing = True
        self._closed.acquire()

    async def __call__(self, ids: list[int], sampling: dict[str, Any], session: str) -> Reply:
        """The callback of `engine_bridge`."""
        for name in _UNSUPPORTED:
            if sampling.get(name, _NEUTRAL.get(name)) != _NEUTRAL.get(name):
                raise ValueError(f"`{name}` is not supported by the engine in this process.")
        seed = sampling.get("sampling_seed")
        draws = self._draws if seed is None else torch.Generator(self._model.device).manual_seed(seed % 2**63)
        call = _Call(ids, sampling, draws)
        self._waiting.put(call)
        return await asyncio.wrap_future(call.reply)

    def _run(self) -> None:
        while True:
            calls = [self._waiting.get()]
            time.sleep(_GATHER_SECONDS)
            with self._closed:
                while len(calls) < self._max_batch and not self._waiting.empty():
                    calls.append(self._waiting.get())
                self._generate_or_fail([call for call in calls if not call.reply.cancelled()])

    def _generate_or_fail(self, calls: list[_Call]) -> None:
        try:
            if calls:
                self._generate(calls)
        except Exception as error:
            for call in calls:
                if not call.reply.done():
                    call.reply.set_exception(error)

    @torch.no_grad()
    def _generate(self, calls: list[_Call]) -> None:
        """Generates until all calls have ended. A call gets its reply as soon as it has ended."""
        model = self._model
        was_training = model.training
        version = None if self._version is None else self._version()
        ids, mask = _pad(calls, model.device)
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        options: dict[str, Any] = {"use_cache": True, **_last_logits(model)}
        model.eval()
        try:
            while any(call.reason is None for call in calls):
                output = model(input_ids=ids, attention_mask=mask, position_ids=positions, **options)
                tokens, logprobs = _draw(output.logits[:, -1].float(), calls)
                for call, token, logprob in zip(calls, tokens.tolist(), logprobs.tolist(), strict=True):
                    self._append(call, token, logprob, version)
                # transformers 5 renames it.
                cache = "cache" if "cache" in output else "past_key_values"
                options[cache] = output[cache]
                ids, positions = tokens[:, None], positions[:, -1:] + 1
                mask = torch.cat([mask, mask.new_ones(len(calls), 1)], 1)
        finally:
            model.train(was_training)

    def _append(self, call: _Call, token: int, logprob: float, version: int | None) -> None:
        if call.reason is not None:
            return
        call.tokens.append(token)
        call.logprobs.append(logprob)
        call.reason = self._reason(call)
        if call.reason is not None and call.reply.set_running_or_notify_cancel():
            call.reply.set_result((call.tokens, call.logprobs, call.reason, version))

    def _reason(self, call: _Call) -> Reason | None:
        is_long_enough = len(call.tokens) > call.sampling.get("min_new_tokens", 0)
        if is_long_enough and (call.tokens[-1] in _stops(call) or self._has_stop_string(call)):
            return "stop"
        if len(call.tokens) >= call.sampling["max_new_tokens"]:
            return "length"
        return "abort" if self._is_closing or call.reply.cancelled() else None

    def _has_stop_string(self, call: _Call) -> bool:
        given = call.sampling.get("stop") or []
        stops = [given] if isinstance(given, str) else given
        # A token has at least one byte, and a character at most four. So a stop string that has just ended is in these tokens.
        tail = max((4 * len(stop) for stop in stops), default=0)
        text = self._tokenizer.decode(call.tokens[-tail - 1 :]) if stops else ""
        return any(stop in text for stop in stops)


def _stops(call: _Call) -> list[int]:
    return [] if call.sampling.get("ignore_eos") else call.sampling.get("stop_token_ids") or []


def _pad(calls: list[_Call], device: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the ids, padded on the left, and their mask."""
    width = max(len(call.ids) for call in calls)
    ids = torch.tensor([[0] * (width - len(call.ids)) + call.ids for call in calls], device=device)
    mask = torch.tensor([[0] * (width - len(call.ids)) + [1] * len(call.ids) for call in calls], device=device)
    return ids, mask


def _last_logits(model: Any) -> dict[str, int]:
    """Returns the option to compute only the last logits, if the model has it: those of a long prompt fill the memory."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    # The signature is that of the class, because TRL replaces the model's own method.
    return {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(type(base).forward).parameters else {}


def _draw(logits: torch.Tensor, calls: list[_Call]) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns a token for each call, and its log probability."""
    for row, call in enumerate(calls):
        if len(call.tokens) < call.sampling.get("min_new_tokens", 0):
            logits[row, _stops(call)] = -torch.inf

    def column(name: str, otherwise: float) -> torch.Tensor:
        values = [call.sampling.get(name, otherwise) for call in calls]
        return torch.tensor(values, dtype=torch.float32, device=logits.device)[:, None]

    temperature, top_k = column("temperature", 1.0), column("top_k", -1)
    is_greedy = temperature == 0
    logprobs = (logits / temperature.masked_fill(is_greedy, 1.0)).log_softmax(-1)
    probs, order = logprobs.exp().sort(-1, descending=True)
    rank = torch.arange(logits.shape[1], device=logits.device)
    top_k = top_k.masked_fill(top_k <= 0, torch.inf).masked_fill(is_greedy, 1)
    before, least = probs.cumsum(-1) - probs, column("min_p", 0.0) * probs[:, :1]
    is_kept = (rank < top_k) & (before < column("top_p", 1.0)) & (probs >= least)
    # The most probable token is always kept.
    is_kept[:, 0] = True
    probs = probs.where(is_kept, 0.0)
    picks = torch.cat([row.multinomial(1, generator=call.generator) for row, call in zip(probs, calls, strict=True)])
    tokens = order.gather(1, picks[:, None])
    return tokens[:, 0], logprobs.gather(1, tokens)[:, 0]
