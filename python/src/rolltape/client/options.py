"""Options of sessions and exports, spelled as in docs/reference/http-api.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypedDict


class SamplingOverride(TypedDict, total=False):
    """Sampling parameters of each call of a session, as in `rollout.agent.sampling_override`."""

    temperature: float
    top_p: float
    top_k: int
    min_p: float
    frequency_penalty: float
    presence_penalty: float
    repetition_penalty: float
    min_tokens: int
    ignore_eos: bool
    seed: int
    max_tokens: int


Split = Literal["train", "eval"]


class SessionsOptions(TypedDict, total=False):
    """`split`: exports training sessions (default) or evaluation sessions, and refuses others."""

    split: Split
    wait_seconds: float
    drain_seconds: float


class ExportOptions(SessionsOptions, total=False):
    style: Literal["individual", "concat"]
    discount: float
    concat_reward: Literal["leaf", "return"]
    on_mismatch: Literal["error", "split"]
    models: Sequence[str]
    exclude_models: Sequence[str]
    tags: Sequence[str]
    roots: Literal["all", "rewarded"]
    overlong: Literal["keep", "drop"]
    include_undelivered: bool


class BatchOptions(ExportOptions, total=False):
    layout: Literal["padded", "packed", "tree"]
    pad_token_id: int
    pad_side: Literal["right", "left"]
    pad_to_multiple_of: int
    max_length: int
    overflow: Literal["error", "truncate", "drop"]
    row_tensors: bool
    turns: bool
    shared_turns: Literal["every", "first", "weight"]
    shards: int
    shard: int
    shard_by: Literal["tokens", "workers"]
    reader_hosts: Sequence[str]


class FileOptions(BatchOptions, total=False):
    """`image_bytes`: `files` moves the images into the folder `<path>.images`."""

    image_bytes: Literal["tensor", "files"]


class LeaseOptions(BatchOptions, total=False):
    """`lease_seconds`: time in which the batch must be acknowledged. `reader_pid`: the lease ends with this process."""

    lease_seconds: float
    reader_pid: int


class SharedOptions(LeaseOptions, total=False):
    """`acknowledge`: keep the sessions until the batch is acknowledged."""

    acknowledge: bool


EXPORT_TIMEOUT = 600.0


def export_timeout(timeout: float | None, options: Any) -> float:
    """Returns a time limit in seconds that allows for packing, sending and the waits that the export asks for."""
    waits = float(options.get("wait_seconds") or 0) + float(options.get("drain_seconds") or 0)
    return EXPORT_TIMEOUT + waits if timeout is None else timeout
