"""One episode as the rows of a trainer: branches, limits, failures and sampling of its own."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import numpy as np
import pytest

import rolltape
from rolltape import AsyncClient, AsyncSession, Client, Sample, Server, episode_rows
from support import chat


def run(server: Server, agent: Any, task: Any = "t", **options: Any) -> list[Sample]:
    async def main() -> list[Sample]:
        async with AsyncClient(server.url, server.admin_key) as client:
            return await episode_rows(client, agent, task, **options)

    return asyncio.run(main())


def ask(session: AsyncSession, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    answer = chat(session, messages, **fields)
    return {"role": "assistant", "content": answer["choices"][0]["message"]["content"] or ""}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def branches(task: str, session: AsyncSession) -> float:
    """Two turns, and a second branch after the first one."""
    messages = [user(task)]
    messages.append(ask(session, messages, max_tokens=6))
    for branch in ("a", "b"):
        ask(session, [*messages, user(branch)], max_tokens=6)
    return 1.5


def test_each_path_is_a_row_and_each_sampled_token_is_trained_once(client: Client, server: Server) -> None:
    rows = run(server, branches, group_id="g-7", task_id="sum")
    assert [(row.group_id, row.task_id, row.episode_reward) for row in rows] == [("g-7", "sum", 1.5)] * len(rows)
    assert len({row.session_id for row in rows}) == 1
    assert [row.is_last for row in rows] == [False] * (len(rows) - 1) + [True]
    assert sum(int(row.response_mask.sum()) for row in rows) == sum(
        turn.end - turn.start for row in rows for turn in row.turns
    )
    assert sum(len(row.turns) for row in rows) == 3
    single = run(server, branches, style="individual")
    assert [len(row.turns) for row in single] == [1, 1, 1]


def test_a_group_has_the_sessions_of_the_episodes_that_name_it(client: Client, server: Server) -> None:
    rows = [*run(server, branches, group_id="g"), *run(server, branches, group_id="g")]
    assert len({row.session_id for row in rows}) == 2
    assert {row.group_id for row in rows} == {"g"}
    assert {row.group_id for row in run(server, branches)} == {None}


def test_an_evaluation_is_no_training_session(client: Client, server: Server) -> None:
    (row, *_) = run(server, branches, split="eval")
    assert client.get_session(row.session_id)["split"] == "eval"


def test_sampling_is_that_of_the_episode(client: Client, server: Server) -> None:
    rows = run(server, branches, sampling_override={"temperature": 0.5, "max_tokens": 3})
    assert {row.temperature for row in rows} == {0.5}
    assert all(turn.end - turn.start <= 3 for row in rows for turn in row.turns)


def test_long_responses_are_cut_with_their_turns(client: Client, server: Server) -> None:
    (whole, *_) = run(server, branches, sampling_override={"seed": 3, "temperature": 0.7})
    for limit in (
        0,
        1,
        whole.turns[0].end,
        whole.turns[-1].start,
        len(whole.response_ids) - 1,
        len(whole.response_ids),
    ):
        row = whole.cut(limit)
        assert row.response_ids.tolist() == whole.response_ids[:limit].tolist()
        assert len(row.response_logprobs) == len(row.response_versions) == len(row.response_mask) == limit
        assert row.turns == tuple(turn._replace(end=min(turn.end, limit)) for turn in whole.turns if turn.start < limit)
        assert row.truncated or limit == len(whole.response_ids)
        assert row.min_version == row.max_version == (0 if row.response_mask.any() else -1)
        assert (row.reward, row.prompt_ids.tolist()) == (whole.reward, whole.prompt_ids.tolist())
    assert whole.cut(5).cut(9).response_ids.tolist() == whole.response_ids[:5].tolist()
    greedy: dict[str, Any] = {"sampling_override": {"temperature": 0}}
    rows = run(server, branches, **greedy)
    cut = run(server, branches, max_response_tokens=4, **greedy)
    assert [row.response_ids.tolist() for row in cut] == [row.response_ids.tolist()[:4] for row in rows]
    assert [row.truncated for row in cut] == [row.truncated or len(row.response_ids) > 4 for row in rows]


def test_a_cut_row_has_the_versions_of_its_tokens() -> None:
    tensors = {
        "input_ids": np.arange(6, dtype=np.int32),
        "loss_mask": np.array([0, 0, 1, 1, 0, 1], np.int32),
        "logprobs": np.zeros(6, np.float32),
        "versions": np.array([-1, -1, 3, 4, -1, 9], np.int32),
        "cu_seqlens": np.array([0, 6], np.int32),
        "rewards": np.ones(1, np.float32),
        "row_min_version": np.array([3], np.int32),
        "row_max_version": np.array([9], np.int32),
    }
    (sample,) = rolltape.Batch(tensors, {"layout": "packed", "rows": "[]"}).samples()
    assert [(sample.cut(n).min_version, sample.cut(n).max_version) for n in range(5)] == [
        (-1, -1),
        (3, 3),
        (3, 4),
        (3, 4),
        (3, 9),
    ]


def test_a_prompt_over_its_limit_is_refused(client: Client, server: Server) -> None:
    before = len(list(client.sessions()))
    with pytest.raises(rolltape.RolltapeError, match="max_prompt_tokens is 3") as refused:
        run(server, branches, max_prompt_tokens=3)
    assert refused.value.code == "prompt_too_long"
    assert len(list(client.sessions())) == before


def test_an_agent_without_a_call_has_no_rows(client: Client, server: Server) -> None:
    assert run(server, lambda task, session: None) == []


def test_a_failed_episode_raises_what_its_agent_raised_and_leaves_no_session(client: Client, server: Server) -> None:
    before = len(list(client.sessions()))

    async def fails(task: str, session: AsyncSession) -> float:
        await asyncio.to_thread(chat, session, "Hi")
        raise LookupError("no tool")

    async def sleeps(task: str, session: AsyncSession) -> float:
        await asyncio.sleep(60)
        return 0.0

    async def cancels(task: str, session: AsyncSession) -> float:
        raise asyncio.CancelledError("a tool was cancelled")

    async def ignores(task: str, session: AsyncSession) -> float:
        await asyncio.to_thread(chat, session, "Hi")
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return 0.0

    with pytest.raises(LookupError, match="no tool"):
        run(server, fails)
    with pytest.raises(rolltape.RolltapeError, match="a tool was cancelled") as cancelled:
        run(server, cancels)
    assert cancelled.value.code == "agent_cancelled"
    with pytest.raises(rolltape.RolltapeError, match="did not end within"):
        run(server, ignores, timeout=2)
    with pytest.raises(rolltape.RolltapeError, match="did not end within") as late:
        run(server, sleeps, timeout=0.2)
    assert late.value.code == "episode_timeout"
    assert len(list(client.sessions())) == before


def test_an_episode_that_is_cancelled_when_its_agent_has_ended_leaves_no_session(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(list(client.sessions()))

    async def main() -> None:
        async with AsyncClient(server.url, server.admin_key) as own:
            running: list[asyncio.Task[Any]] = []

            async def end_and_cancel(session: AsyncSession) -> None:
                await ended(session)
                running[0].cancel()

            ended = AsyncSession.end
            monkeypatch.setattr(AsyncSession, "end", end_and_cancel)
            running.append(asyncio.ensure_future(episode_rows(own, branches, "t")))
            with pytest.raises(asyncio.CancelledError):
                await running[0]

    asyncio.run(main())
    assert len(list(client.sessions())) == before


def test_a_step_that_fails_leaves_no_task_whose_exception_nobody_reads(client: Client, server: Server) -> None:
    noises: list[Any] = []

    async def fails(task: int, session: AsyncSession) -> float:
        await asyncio.sleep(0.01 * task)
        raise ValueError(task)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: noises.append(context))
        async with AsyncClient(server.url, server.admin_key) as own:
            episodes = [asyncio.ensure_future(episode_rows(own, fails, task)) for task in range(4)]
            with pytest.raises(ValueError, match="0"):
                await asyncio.gather(*episodes)
            for episode in episodes:
                episode.cancel()
            await asyncio.gather(*episodes, return_exceptions=True)

    asyncio.run(main())
    import gc

    gc.collect()
    assert noises == []


@pytest.mark.parametrize(
    "options",
    [{"style": "padded"}, {"max_prompt_tokens": 0}, {"max_response_tokens": 0}],
    ids=lambda each: next(iter(each)),
)
def test_impossible_options_are_refused_before_the_agent_runs(
    client: Client, server: Server, options: dict[str, Any]
) -> None:
    def agent(task: str, session: AsyncSession) -> float:
        raise AssertionError("the agent ran")

    with pytest.raises(ValueError, match="must be"):
        run(server, agent, **options)
