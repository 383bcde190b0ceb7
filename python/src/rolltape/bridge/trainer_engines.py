"""Callbacks for `engine_bridge` that call the engines of trainers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .engine_bridge import Generate, Reason, Reply

_VLLM_NAMES = {
    "max_new_tokens": "max_tokens",
    "min_new_tokens": "min_tokens",
    "no_stop_trim": "include_stop_str_in_output",
    "sampling_seed": "seed",
}
_REASONS: dict[str, Reason] = {"length": "length", "abort": "abort"}
GRAMMARS = ("json_schema", "regex", "ebnf", "structural_tag")


def vllm_sampling(sampling: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of vLLM's `SamplingParams` for SGLang's `sampling_params`, without `logprobs`.

    Raises ValueError for a grammar, which vLLM takes as an object.
    """
    for name in GRAMMARS:
        if name in sampling:
            raise ValueError(f"`{name}` is not supported: the bridge cannot pass grammars to vLLM.")
    fields = {_VLLM_NAMES.get(name, name): value for name, value in sampling.items()}
    if "logit_bias" in fields:
        fields["logit_bias"] = {int(token): bias for token, bias in fields["logit_bias"].items()}
    return fields


def verl(server_manager: Any, *, backend: str = "vllm") -> Generate:
    """Calls the `server_manager` of a verl agent loop (verl 0.9).

    Calls of a session go to the same engine server. The weight version is `global_steps`; a call that verl resumed after an
    update has the oldest and the newest one.

    backend: `rollout.name` of the trainer, `vllm` or `sglang`.
    """

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Reply:
        # verl's servers change the dictionary.
        params = {**(vllm_sampling(sampling) if backend == "vllm" else sampling), "logprobs": True}
        output = await server_manager.generate(session, prompt_ids=ids, sampling_params=params)
        oldest, newest = (output.extra_fields.get(f"{end}_global_steps") for end in ("min", "max"))
        version = None if oldest is None or newest is None else (oldest, newest)
        tokens = list(output.token_ids)
        if output.stop_reason in ("aborted", "abort"):
            return tokens, output.log_probs or [], "abort", version
        # verl calls both ends `completed`.
        is_cut = len(tokens) >= sampling["max_new_tokens"] and tokens[-1] not in sampling["stop_token_ids"]
        return tokens, output.log_probs, "length" if is_cut else "stop", version

    return generate


def openrlhf(llm_engine: Any, make_params: Callable[..., Any], version: Callable[[], int] | None = None) -> Generate:
    """Calls the `llm_engine` of an OpenRLHF agent executor (OpenRLHF 0.11).

    make_params: vLLM's `SamplingParams`. version: returns the current weight version, which the engine does not tell.
    """

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Reply:
        begun = version() if version else None
        request = await llm_engine.generate(ids, make_params(**vllm_sampling(sampling), logprobs=0))
        output = request.outputs[0]
        tokens = list(output.token_ids)
        logprobs = [values[token].logprob for values, token in zip(output.logprobs or [], tokens, strict=True)]
        reason = _REASONS.get(output.finish_reason, "stop")
        return tokens, logprobs, reason, None if begun is None or version is None else (begun, version())

    return generate
