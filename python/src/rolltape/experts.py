"""The routed experts of rows in the shapes that trainers replay. See docs/reference/engines.md#routed-experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .batch import Sample
from .batch.safetensors import Array
from .errors import RolltapeError

__all__ = ["padded_experts", "routed_experts"]

CHANNEL = "routed_experts"


def routed_experts(sample: Sample, dtype: Any = None, *, repeat_last: bool = False) -> Array | None:
    """Returns the experts of each token but the last, on which the model did not run: [tokens - 1, layers, top_k].

    Tokens are those of the prompt and then of the response. None if nothing of the batch has experts.

    dtype: default: that of the batch, uint8 or uint16. slime takes int32, verl int16.
    repeat_last: gives the last token the experts of the token before it: [tokens, layers, top_k], as prime-rl takes them.

    Raises RolltapeError `experts_missing` if another token has none, because its routing cannot be replayed.
    """
    values = sample.token_values(CHANNEL)
    if values is None:
        return None
    has = np.asarray(sample.token_values(f"{CHANNEL}_mask"))[:-1]
    missing = len(has) - int(has.sum())
    if missing:
        message = (
            f"{missing} of {len(has)} tokens of a row of session {sample.session_id} have no routed experts, so their routing "
            "cannot be replayed. Leave the row out, or find the cause: the session was started without them, or its engine "
            "server sent none."
        )
        raise RolltapeError("experts_missing", message)
    experts = np.asarray(values)[:-1]
    if repeat_last:
        experts = np.concatenate([experts, experts[-1:]])
    return np.ascontiguousarray(experts, dtype)


def padded_experts(samples: Sequence[Sample], prompt_tokens: int, response_tokens: int) -> Array | None:
    """Returns int16 [samples, prompt_tokens + response_tokens, layers, top_k]: verl's batch.

    Prompts end at `prompt_tokens` and responses begin there, as in verl's padded batches. Padding, and the last token of each
    row, have zeros. None if nothing of the batch has experts.

    Raises RolltapeError `experts_missing` as `routed_experts`, ValueError for a longer prompt or response.
    """
    rows = [routed_experts(sample, np.int16) for sample in samples]
    if not rows or rows[0] is None:
        return None
    padded = np.zeros((len(rows), prompt_tokens + response_tokens, *rows[0].shape[1:]), np.int16)
    for into, sample, experts in zip(padded, samples, rows, strict=True):
        prompt, response = len(sample.prompt_ids), len(sample.response_ids)
        if prompt > prompt_tokens or response > response_tokens:
            raise ValueError(
                f"A row has {prompt} prompt and {response} response tokens; room is for {prompt_tokens} and {response_tokens}."
            )
        into[prompt_tokens - prompt :][: prompt + response - 1] = experts
    return padded


def signed_experts(sample: Sample) -> Array | None:
    """Returns `routed_experts` in uint8, or else in the smallest signed dtype that holds the ids, as SkyRL takes them."""
    experts = routed_experts(sample)
    if experts is None or experts.dtype == np.uint8:
        return experts
    return experts.astype(np.int16 if experts.max(initial=0) < 1 << 15 else np.int32)
