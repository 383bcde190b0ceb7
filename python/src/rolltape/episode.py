"""One episode, as the rows of a trainer that calls for each episode by itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Literal

from .batch import Sample
from .client import AsyncClient
from .client.options import SamplingOverride, Split
from .errors import RolltapeError
from .groups import Agent, Episode, EpisodeRunner, Group, Task


async def episode_rows(
    client: AsyncClient,
    agent: Agent[Task],
    task: Task,
    *,
    group_id: str | None = None,
    task_id: str | None = None,
    sampling_override: SamplingOverride | None = None,
    split: Split = "train",
    timeout: float | None = None,
    reward_scope: Literal["interaction", "session"] = "interaction",
    style: Literal["concat", "individual"] = "concat",
    max_prompt_tokens: int | None = None,
    max_response_tokens: int | None = None,
) -> list[Sample]:
    """Runs the agent once on the task, exports its session, and returns its rows in order.

    Each path of a branched conversation is a row; with style `individual`, each call is one. If a call does not continue its
    parent's tokens exactly, it begins a new row. Each sampled token is trained on in one row only. An agent that made no
    call and returned no reward has no rows.

    group_id: of the session, as the trainer numbers its groups. task_id: default: that of the task.
    sampling_override: sampling parameters of each call, whatever the agent asks for. split: `eval` for an evaluation session.
    timeout: seconds that the episode may take. reward_scope: as of `run_group`.
    max_prompt_tokens: a longer prompt raises `prompt_too_long`. max_response_tokens: longer responses are cut.

    Raises what the agent raised, RolltapeError `episode_timeout`, or RolltapeError `prompt_too_long`. The session is deleted if
    the episode fails or is cancelled. Raises ValueError for an unknown style, and for limits below 1.
    """
    if style not in ("concat", "individual"):
        raise ValueError(f"style must be `concat` or `individual`; received {style!r}.")
    for name, limit in (("max_prompt_tokens", max_prompt_tokens), ("max_response_tokens", max_response_tokens)):
        if limit is not None and limit < 1:
            raise ValueError(f"{name} must be at least 1; received {limit}.")
    runner = EpisodeRunner(
        agent, client, timeout, 1, reward_scope, sampling_override=sampling_override, split=split, task_id=task_id
    )
    group = Group(0, group_id)
    try:
        await runner.episode(group, task)
        (episode,) = group.episodes
        if episode.error is not None or episode.session_id is None:
            raise _reason(episode)
        batch = await client.export_batch(
            [episode.session_id],
            split=split,
            layout="packed",
            style=style,
            on_mismatch="split",
            shared_turns="first",
            turns=True,
        )
        rows = list(batch.samples())
        longest = max((len(row.prompt_ids) for row in rows), default=0)
        if max_prompt_tokens is not None and longest > max_prompt_tokens:
            message = f"A prompt of the episode has {longest} tokens; max_prompt_tokens is {max_prompt_tokens}."
            raise RolltapeError("prompt_too_long", message)
    except BaseException:
        # Shielded, so that the session is deleted even if the episode is cancelled.
        with contextlib.suppress(RolltapeError):
            await asyncio.shield(asyncio.ensure_future(_delete(client, group)))
        raise
    return rows if max_response_tokens is None else [row.cut(max_response_tokens) for row in rows]


def trained_rows(rows: Sequence[Sample]) -> list[Sample]:
    """Returns the rows that have a token to train on."""
    return [row for row in rows if row.response_mask.any()]


def most_trained_row(rows: Sequence[Sample]) -> Sample:
    """Returns the row with the most trained tokens, for trainers that take one row of an episode.

    Raises RolltapeError `no_trained_tokens`.
    """
    best = max(rows, key=lambda row: int(row.response_mask.sum()), default=None)
    if best is None or not best.response_mask.any():
        raise RolltapeError(
            "no_trained_tokens", "The episode has no trained token: its agent made no call that was recorded."
        )
    return best


def _reason(episode: Episode) -> BaseException:
    error = episode.error
    if isinstance(error, asyncio.CancelledError):
        # Raised as it is, it would cancel the caller.
        return RolltapeError("agent_cancelled", f"The agent ended with {error!r}.")
    return error or RolltapeError("episode_failed", "The episode ended without a session.")


async def _delete(client: AsyncClient, group: Group) -> None:
    # A failed episode has deleted its own session.
    for episode in group.episodes:
        if episode.session_id is not None and episode.error is None:
            await client.delete_session(episode.session_id)
