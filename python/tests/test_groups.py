"""Running an agent on many tasks: rewards, failures, time limits, and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import rolltape
from rolltape import AsyncClient, AsyncSession, Client, Group, Server, run_group
from support import chat


def run(server: Server, agent: Any, tasks: list[Any], n: int = 1, **options: Any) -> list[Group]:
    async def main() -> list[Group]:
        async with AsyncClient(server.url, server.admin_key) as client:
            return await run_group(agent, tasks, n, client=client, **options)

    return asyncio.run(main())


async def calls_model(task: Any, session: AsyncSession) -> float:
    await asyncio.to_thread(chat, session, f"task {task}")
    return 0.5


def test_every_task_has_a_group_of_n_episodes(client: Client, server: Server) -> None:
    groups = run(server, calls_model, ["a", "b", "c"], 4, max_concurrency=5)
    assert [(group.index, len(group.session_ids), group.errors) for group in groups] == [
        (0, 4, []),
        (1, 4, []),
        (2, 4, []),
    ]
    ids = [session_id for group in groups for session_id in group.session_ids]
    batch = client.export_batch(ids)
    assert batch.groups == [group.group_id for group in groups for _ in range(4)]
    assert set(batch.rewards.tolist()) == {0.5}
    assert all(episode.seconds > 0 for group in groups for episode in group.episodes)


def test_agents_that_are_no_coroutines_run_at_the_same_time(client: Client, server: Server) -> None:
    # More threads than asyncio.to_thread has on a small machine: each waits for all others.
    import threading

    together = threading.Barrier(40)

    def agent(task: int, session: AsyncSession) -> dict[str, float]:
        together.wait(60)
        return {chat(session, f"{task}")["id"]: task / 64}

    groups = run(server, agent, list(range(40)))
    assert [group.errors for group in groups] == [[]] * 40
    batch = client.export_batch([group.session_ids[0] for group in groups])
    assert batch.rewards.tolist() == [task / 64 for task in range(40)]


def test_the_reward_can_be_that_of_the_session(client: Client, server: Server) -> None:
    (group,) = run(server, calls_model, ["a"], reward_scope="session")
    assert client.export_trajectories(group.session_ids[0]).fields["session_reward"] == 0.5


def test_session_ids_begin_with_the_id_of_the_task(client: Client, server: Server) -> None:
    groups = run(server, calls_model, [{"task_id": "sum"}, {"question": "?"}])
    assert [group.session_ids[0].split("-")[0] for group in groups] == ["sum", "task"]


def test_failures_are_reported_and_leave_no_session(client: Client, server: Server) -> None:
    async def agent(task: str, session: AsyncSession) -> Any:
        if task == "raises":
            raise KeyError("mine")
        if task == "exits":
            sys.exit(3)
        if task == "times out":
            raise TimeoutError("of the agent itself")
        if task == "hangs":
            await asyncio.Event().wait()
        if task == "nan":
            await asyncio.to_thread(chat, session, "hi")
            return float("nan")
        if task == "no call":
            return 1.0
        if task == "text":
            return "good"
        return await calls_model(task, session)

    seen: list[bool] = []
    tasks = ["raises", "exits", "times out", "hangs", "nan", "no call", "text", "works"]
    groups = run(server, agent, tasks, timeout=3, on_episode=lambda group, episode: seen.append(episode.accepted))
    errors = [group.episodes[0].error for group in groups]
    failed = rolltape.RolltapeError
    kinds = [KeyError, failed, TimeoutError, failed, ValueError, rolltape.InvalidRequestError, TypeError]
    assert [type(error) for error in errors] == [*kinds, type(None)]
    assert [getattr(errors[index], "code", None) for index in (1, 2, 3, 5)] == [
        "agent_exit",
        None,
        "episode_timeout",
        "no_interactions",
    ]
    assert [group.session_ids for group in groups[:-1]] == [[]] * 7
    assert [record["session_id"] for record in client.sessions()] == groups[-1].session_ids
    assert sorted(seen) == [False] * 7 + [True]


def test_a_proxy_that_is_gone_is_reported_by_each_episode() -> None:
    gone = Server("http://127.0.0.1:9", "no-admin-key", 0, {}, Path())
    (group,) = run(gone, calls_model, ["a"], 2)
    assert [getattr(error, "code", None) for error in group.errors] == ["connection_failed"] * 2
    assert group.session_ids == []


def test_cancelling_deletes_all_sessions_of_the_run_and_no_others(client: Client, server: Server) -> None:
    client.grant_capacity()
    other = client.session("other").session_id

    async def main() -> None:
        some_ended = asyncio.Event()

        async def agent(task: int, session: AsyncSession) -> float:
            if task >= 2:
                await asyncio.Event().wait()
            return await calls_model(task, session)

        async with AsyncClient(server.url, server.admin_key) as own:
            finish = lambda group, episode: some_ended.set()  # noqa: E731
            running = asyncio.ensure_future(run_group(agent, list(range(8)), client=own, on_episode=finish))
            await some_ended.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running

    asyncio.run(main())
    assert [record["session_id"] for record in client.sessions()] == [other]


INTERRUPTED = """
import asyncio, sys
from rolltape import AsyncClient, run_group

async def agent(task, session):
    print("running", flush=True)
    await asyncio.Event().wait()

async def main():
    async with AsyncClient(sys.argv[1], sys.argv[2]) as client:
        await run_group(agent, range(6), 2, client=client)

asyncio.run(main())
"""


def test_ctrl_c_leaves_no_session(client: Client, server: Server) -> None:
    source = Path(rolltape.__file__).parents[1]
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, server.url, server.admin_key],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": str(source), "PATH": ""},
        # A shell that starts the tests in the background makes them ignore the signal.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with program:
        assert program.stdout is not None
        for _ in range(12):
            assert program.stdout.readline() == b"running\n"
        assert len(list(client.sessions())) == 12
        program.send_signal(signal.SIGINT)
        assert program.wait(60) in (1, 130, -signal.SIGINT)
    assert list(client.sessions()) == []


def test_a_thread_that_hangs_delays_nothing(client: Client, server: Server) -> None:
    def agent(task: str, session: AsyncSession) -> None:
        time.sleep(3600)

    (group,) = run(server, agent, ["a"], timeout=0.3)
    assert [getattr(error, "code", None) for error in group.errors] == ["episode_timeout"]
    assert list(client.sessions()) == []


def test_wrong_options_are_refused(server: Server) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        run(server, calls_model, [], 0)


class OwnExit(BaseException):
    """Not an Exception, as pytest's own outcomes are not."""


def test_an_agent_that_cancels_itself_fails_only_its_own_episode(client: Client, server: Server) -> None:
    async def agent(task: str, session: AsyncSession) -> float:
        reward = await calls_model(task, session)
        if task == "cancels itself":
            current = asyncio.current_task()
            assert current is not None
            current.cancel()
        if task == "cancelled":
            raise asyncio.CancelledError("by a library")
        if task == "own":
            raise OwnExit
        return reward

    groups = run(server, agent, ["cancels itself", "cancelled", "own", "works"])
    kinds = [type(group.episodes[0].error) for group in groups]
    assert kinds == [asyncio.CancelledError, asyncio.CancelledError, OwnExit, type(None)]
    assert [record["session_id"] for record in client.sessions()] == groups[-1].session_ids


def test_an_agent_that_ignores_its_cancellation_does_not_hold_the_run(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rolltape.groups.CANCEL_SECONDS", 0.2)

    async def main() -> list[Group]:
        released = asyncio.Event()

        async def agent(task: str, session: AsyncSession) -> float:
            while task == "stubborn" and not released.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await released.wait()
            return await calls_model(task, session)

        async with AsyncClient(server.url, server.admin_key) as own:
            # The limit is that of a failing test.
            run_of_both = run_group(agent, ["stubborn", "works"], client=own, timeout=5)
            groups = await asyncio.wait_for(run_of_both, 60)
            released.set()
            return groups

    stubborn, works = asyncio.run(main())
    assert [getattr(error, "code", None) for error in stubborn.errors] == ["episode_timeout"]
    assert [record["session_id"] for record in client.sessions()] == works.session_ids


@pytest.mark.parametrize("reward", ["1.0", b"1.0", [1.0]])
def test_text_is_no_reward_even_if_it_is_a_number(client: Client, server: Server, reward: Any) -> None:
    async def agent(task: str, session: AsyncSession) -> Any:
        completion = await asyncio.to_thread(chat, session, "hi")
        return {completion["id"]: reward} if task == "mapping" else reward

    groups = run(server, agent, ["number", "mapping"])
    assert [type(group.episodes[0].error) for group in groups] == [TypeError, TypeError]


def test_a_blocking_client_is_refused(client: Client) -> None:
    with pytest.raises(TypeError, match="need an AsyncClient"):
        asyncio.run(run_group(calls_model, ["a"], client=client))  # type: ignore[arg-type]
