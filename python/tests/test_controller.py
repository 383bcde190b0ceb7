"""The loop of a trainer: batches, staleness, weights, evaluation, resume and Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rolltape
from rolltape import AsyncClient, AsyncSession, Client, Episode, Group, RunState, Server, Step, load_state, rollouts
from rolltape.controller.task_pool import TaskPool
from support import COMMAND, REPOSITORY, chat


async def agent(task: Any, session: AsyncSession) -> float:
    await asyncio.to_thread(chat, session, f"task {task}")
    return float(task)


def collect(server: Server, tasks: Any, see: Callable[[Step], Any] | None = None, **options: Any) -> list[Step]:
    """Runs all steps. see: a function of each step, which may be a coroutine."""

    async def main() -> list[Step]:
        steps = []
        async with AsyncClient(server.url, server.admin_key) as client:
            async for step in rollouts(agent, tasks, server=client, **options):
                steps.append(step)
                result = None if see is None else see(step)
                if asyncio.iscoroutine(result):
                    await result
        return steps

    return asyncio.run(main())


def test_each_step_has_a_batch_of_its_groups(client: Client, server: Server) -> None:
    rewards: list[list[float]] = []
    steps = collect(
        server, [1, 2, 3, 4, 5], lambda step: rewards.append(step.batch.rewards.tolist()), n=2, batch_tasks=2
    )
    assert [[group.index for group in step.groups] for step in steps] == [[0, 1], [2, 3], [4]]
    assert rewards == [[1, 1, 2, 2], [3, 3, 4, 4], [5, 5]]
    assert [step.index for step in steps] == [0, 1, 2]
    assert [step.metrics["reward/mean"] for step in steps] == [1.5, 3.5, 5]
    assert [record["state"] for record in client.sessions()] == ["exported"] * 10


def test_tasks_are_repeated_and_steps_are_limited(client: Client, server: Server) -> None:
    steps = collect(server, [1, 2], n=1, batch_tasks=2, epochs=3)
    assert [group.index for step in steps for group in step.groups] == [0, 1, 2, 3, 4, 5]
    assert len(collect(server, [1, 2], n=1, batch_tasks=1, epochs=9, steps=4)) == 4


def test_without_staleness_no_session_is_active_during_a_step(client: Client, server: Server) -> None:
    active: list[int] = []

    async def see(step: Step) -> None:
        await asyncio.sleep(0.05)
        active.append(sum(1 for record in client.sessions("active")))

    collect(server, range(6), see, n=1, batch_tasks=2)
    assert active == [0, 0, 0]


def test_with_staleness_groups_begin_during_the_step_before(client: Client, server: Server) -> None:
    steps = collect(server, range(8), lambda _: asyncio.sleep(0.3), n=1, batch_tasks=2, max_staleness=1)
    assert [step.metrics["staleness/max"] for step in steps] == [0, 1, 1, 1]


def test_weights_are_updated_and_tokens_have_their_version(client: Client, server: Server) -> None:
    versions: list[set[int]] = []

    async def see(step: Step) -> None:
        versions.append(set(step.batch.column("max_version").tolist()))
        step.log({"loss": 0.5})
        await step.update_weights(server.ready["model_path"], step.version + 1 + (step.index == 0))

    before = client.weights()["version"] or 0
    client.set_version(before)
    steps = collect(server, [1, 2, 3], see, n=1, batch_tasks=1)
    assert [step.version for step in steps] == [0, 2, 3]
    assert [step.metrics["loss"] for step in steps] == [0.5] * 3
    assert versions[1:] == [{2}, {3}]
    assert client.weights()["version"] == 4
    assert all(step.metrics["weights/paused_seconds"] >= 0 for step in steps)


def test_an_evaluation_leaves_no_session_and_counts_failures(client: Client, server: Server) -> None:
    async def judge(task: str, session: AsyncSession) -> dict[str, float]:
        if task == "fails":
            raise ValueError
        reply = await asyncio.to_thread(chat, session, task)
        return {reply["id"]: 0.25}

    async def see(step: Step) -> None:
        before = {record["session_id"] for record in client.sessions()}
        result = await step.evaluate(["a", "fails"], n=2, agent=judge)
        assert (result.rewards, result.failed, result.mean) == ([[0.25, 0.25], []], 2, 0.125)
        assert {record["session_id"] for record in client.sessions()} == before

    (step,) = collect(server, [1], see, n=1)
    assert step.metrics["eval/reward_mean"] == 0.125


def test_a_run_goes_on_after_its_last_step(client: Client, server: Server, tmp_path: Path) -> None:
    weights = server.ready["model_path"]

    async def update(step: Step) -> None:
        await step.update_weights(weights)

    options: dict[str, Any] = {"n": 1, "batch_tasks": 2, "directory": tmp_path}
    client.set_version(0)
    assert load_state(tmp_path) == RunState()
    first = collect(server, range(6), update, steps=2, **options)
    assert load_state(tmp_path) == RunState(2, 2, weights, 4, [])
    client.set_version(0)
    second = collect(server, range(6), **options)
    assert [(step.index, step.version) for step in second] == [(2, 2)]
    tasks = [group.index for step in [*first, *second] for group in step.groups]
    assert tasks == list(range(6))
    assert client.weights()["version"] == 2


def test_a_step_that_did_not_end_is_repeated(client: Client, server: Server, tmp_path: Path) -> None:
    def fail(step: Step) -> None:
        if step.index == 1:
            raise KeyError

    options: dict[str, Any] = {"n": 1, "batch_tasks": 1, "directory": tmp_path}
    with pytest.raises(KeyError):
        collect(server, range(3), fail, **options)
    assert load_state(tmp_path).step == 1
    # A process that ended between the two files has written the metrics of a step, but not its end.
    metrics = tmp_path / "metrics.jsonl"
    metrics.write_text(metrics.read_text() + '{"step": 1}\n')
    assert [group.index for step in collect(server, range(3), **options) for group in step.groups] == [1, 2]
    assert [json.loads(line)["step"] for line in metrics.read_text().splitlines()] == [0, 1, 2]


def test_a_run_begins_with_the_version_of_its_engine(client: Client, server: Server) -> None:
    client.set_version(7)
    try:
        (step,) = collect(server, [1], n=1)
        assert step.version == 7
    finally:
        client.set_version(0)


def test_a_run_that_ended_in_its_first_update_refuses_the_new_weights(
    client: Client, server: Server, tmp_path: Path
) -> None:
    async def crash(step: Step) -> None:
        await step.update_weights(server.ready["model_path"])
        raise KeyError

    options: dict[str, Any] = {"n": 1, "batch_tasks": 1, "directory": tmp_path}
    with pytest.raises(KeyError):
        collect(server, range(2), crash, **options)
    with pytest.raises(
        rolltape.RolltapeError, match="has weight version 1, and the run began with version 0"
    ) as refused:
        collect(server, range(2), **options)
    assert refused.value.code == "weights_unknown"
    client.update_weights(0, server.ready["model_path"])
    assert [step.version for step in collect(server, range(2), **options)] == [0, 0]


def test_tasks_that_were_had_out_of_order_are_not_repeated() -> None:
    state = RunState()
    for task in [2, 0, 5]:
        state.note_task(task)
    assert [task for task in range(7) if not state.has_had(task)] == [1, 3, 4, 6]
    assert (state.next_task, state.later_tasks) == (1, [2, 5])


def test_groups_that_fail_are_left_out_until_too_many_do(client: Client, server: Server) -> None:
    async def main(tasks: list[int], **options: Any) -> list[Step]:
        async def fails(task: int, session: AsyncSession) -> float:
            if task < 0:
                raise ValueError("no answer")
            return await agent(task, session)

        async with AsyncClient(server.url, server.admin_key) as own:
            return [step async for step in rollouts(fails, tasks, server=own, n=2, batch_tasks=2, **options)]

    steps = asyncio.run(main([1, -1, 2]))
    assert [[group.index for group in step.groups] for step in steps] == [[0, 2]]
    assert steps[0].metrics["episodes/accepted"] == 4
    assert steps[0].metrics["episodes/rejected"] == 2
    assert [(group.index, type(group.errors[0])) for group in steps[0].dropped] == [(1, ValueError)]
    with pytest.raises(rolltape.RolltapeError) as failed:
        asyncio.run(main([-1, -2, -3], max_failed_groups=3))
    assert failed.value.code == "groups_failed"
    assert isinstance(failed.value.__cause__, ValueError)


def test_a_run_without_an_accepted_group_raises_and_says_why(
    client: Client, server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    async def fails(task: int, session: AsyncSession) -> float:
        raise KeyError("question")

    async def main() -> None:
        async with AsyncClient(server.url, server.admin_key) as own:
            async for _ in rollouts(fails, [1, 2], server=own, n=2, batch_tasks=2):
                pass

    with pytest.raises(rolltape.RolltapeError, match=r"All 2 groups .* the run has no step") as failed:
        asyncio.run(main())
    assert isinstance(failed.value.__cause__, KeyError)
    assert [record.message for record in caplog.records if record.name.startswith("rolltape")] == [
        "An episode of task 0 failed: KeyError('question')"
    ]


def test_an_engine_that_is_not_ready_is_named(caplog: pytest.LogCaptureFixture, server: Server) -> None:
    settings = {
        "engine.type": "vllm",
        "engine.urls": "http://127.0.0.1:9",
        "model.path": server.ready["model_path"],
        "server.log_level": "error",
    }

    async def main() -> None:
        async with contextlib.aclosing(rollouts(agent, [], server=settings)) as steps:
            async for _ in steps:
                pass

    asyncio.run(main())
    assert any("http://127.0.0.1:9 cannot be reached" in record.message for record in caplog.records)


def test_metrics_are_written_and_tracked(client: Client, server: Server, tmp_path: Path) -> None:
    class Tracked:
        def __init__(self) -> None:
            self.steps: list[tuple[int, Any]] = []
            self.closed = False

        def log(self, step: int, metrics: Any) -> None:
            self.steps.append((step, dict(metrics)))

        def close(self) -> None:
            self.closed = True

    tracker = Tracked()
    options: dict[str, Any] = {"n": 2, "batch_tasks": 1, "directory": tmp_path, "trackers": [tracker]}
    steps = collect(server, [1, 2], lambda step: step.log({"loss": step.index}), **options)
    assert tracker.steps == [(step.index, step.metrics) for step in steps]
    assert tracker.closed
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    for line, step in zip(lines, steps, strict=True):
        assert line.pop("time") > 1e9
        assert line == {"step": step.index, "version": 0, **step.metrics}
    assert lines[1]["reward/mean"] == lines[1]["reward/max"] == 2.0
    assert (lines[1]["loss"], lines[1]["groups/zero_variance_share"], lines[1]["batch/rows"]) == (1.0, 1.0, 2)
    documented = (REPOSITORY / "docs" / "reference" / "rollout.md").read_text()
    assert [name for name in steps[0].metrics if name != "loss" and f"`{name}`" not in documented] == []


def test_an_iterator_that_is_closed_leaves_no_session(client: Client, server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.admin_key) as own:
            run = rollouts(agent, range(20), server=own, n=2, batch_tasks=2, max_staleness=3)
            async with contextlib.aclosing(run) as steps:
                async for _ in steps:
                    break

    asyncio.run(main())
    assert {record["state"] for record in client.sessions()} == {"exported"}


@pytest.mark.parametrize("options", [{"n": 0}, {"batch_tasks": 0}, {"max_staleness": -1}, {"max_concurrency": 0}])
def test_impossible_options_are_refused(client: Client, server: Server, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        collect(server, [1], **options)


class FakeRunner:
    """Ends groups in a random order. Every third one fails."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.client = self
        self.running: set[int] = set()
        self.deleted: list[str] = []

    async def run(self, tasks: list[tuple[int, Any]], n: int) -> list[Group]:
        ((index, _),) = tasks
        self.running.add(index)
        for _ in range(self.rng.randint(0, 12)):
            await asyncio.sleep(0)
        self.running.remove(index)
        error = ValueError() if index % 3 == 2 else None
        return [Group(index, f"g-{index}", [Episode(f"s-{index}", 1.0, error)])]

    async def delete_session(self, session_id: str) -> bool:
        self.deleted.append(session_id)
        return True


@pytest.mark.parametrize("seed", range(30))
def test_no_group_is_older_than_allowed_and_every_task_is_had_once(seed: int) -> None:
    rng = random.Random(seed)
    batch_tasks, staleness, count = rng.randint(1, 4), rng.randint(0, 3), rng.randint(0, 40)

    async def main() -> list[list[int]]:
        runner: Any = FakeRunner(rng)
        options = {"n": 1, "min_accepted": 1, "max_failed_groups": 9, "ended_steps": 5}
        tasks = iter([(index, None) for index in range(count)])
        pool = TaskPool(runner, tasks, batch_tasks=batch_tasks, max_staleness=staleness, **options)
        batches = []
        while True:
            groups, ages = await pool.take()
            if not groups:
                return batches
            assert all(0 <= age <= staleness for age in ages)
            assert len(runner.running) <= staleness * batch_tasks
            batches.append([group.index for group in groups])
            for _ in range(rng.randint(0, 9)):
                await asyncio.sleep(0)
            pool.end_step()

    batches = asyncio.run(main())
    accepted = [index for index in range(count) if index % 3 != 2]
    assert sorted(index for batch in batches for index in batch) == accepted
    assert all(len(batch) == batch_tasks for batch in batches[:-1])
    if staleness == 0:
        assert [index for batch in batches for index in batch] == accepted


def test_closing_deletes_sessions_of_groups_that_wait_or_have_just_ended() -> None:
    async def main() -> FakeRunner:
        runner: Any = FakeRunner(random.Random(0))
        options = {"n": 1, "min_accepted": 1, "max_failed_groups": 9, "ended_steps": 0}
        tasks = iter([(index, None) for index in (0, 1, 3, 4)])
        pool = TaskPool(runner, tasks, batch_tasks=1, max_staleness=3, **options)
        groups, _ = await pool.take()
        # All others end, and nobody asks for them.
        while runner.running:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        await pool.close()
        runner.deleted += [f"s-{group.index}" for group in groups]
        return runner

    assert sorted(asyncio.run(main()).deleted) == ["s-0", "s-1", "s-3", "s-4"]


PROGRAM = """
import asyncio, os, sys
import rolltape
from support import chat

async def agent(task, session):
    await asyncio.to_thread(chat, session, "hi")
    return 1.0

async def main():
    async for step in rolltape.rollouts(agent, range(1000), n=2, batch_tasks=2, max_staleness=1):
        print(step.batch.layout, os.popen("pgrep -P %d" % os.getpid()).read().split()[0], flush=True)
        if step.index == 1 and sys.argv[1] == "body":
            await asyncio.sleep(60)
        if step.index == 1 and sys.argv[1] == "raises":
            raise LookupError("of the body")
        if step.index == 1 and sys.argv[1] == "break":
            break
    await asyncio.sleep(0.1 if sys.argv[1] == "break" else 0)

asyncio.run(main())
"""


class Program:
    """A process that runs steps and prints the process id of its server."""

    def __init__(self, folder: Path, place: str) -> None:
        (folder / "rolltape").symlink_to(COMMAND)
        path = f"{REPOSITORY / 'python' / 'src'}:{REPOSITORY / 'python' / 'tests'}"
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, place],
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(2)]
        assert lines[0].startswith("packed"), self.process.communicate()[1]
        self.server = int(lines[0].split()[1])

    def errors(self) -> str:
        """Waits for the end, at which the server has stopped."""
        _, errors = self.process.communicate(timeout=60)
        with pytest.raises(ProcessLookupError):
            os.kill(self.server, 0)
        return errors


@pytest.mark.parametrize("place", ["body", "anywhere"])
def test_ctrl_c_leaves_no_process(tmp_path: Path, place: str) -> None:
    program = Program(tmp_path, place)
    os.kill(program.process.pid, signal.SIGINT)
    errors = program.errors()
    assert "KeyboardInterrupt" in errors
    assert "GeneratorExit" not in errors


def test_an_exception_of_the_body_is_the_only_one_that_is_shown(tmp_path: Path) -> None:
    errors = Program(tmp_path, "raises").errors()
    assert errors.endswith("LookupError: of the body\n")
    assert errors.count("Traceback") == 1


def test_a_loop_that_is_left_is_closed_while_the_program_goes_on(tmp_path: Path) -> None:
    assert Program(tmp_path, "break").errors() == ""
