"""Environments of the published verifiers package, with an engine that says what the tests want."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rolltape
from rolltape import AsyncClient, Client, Server
from scripted_engine import ScriptedEngine
from sums import QUESTIONS, run_group, script, serve
from support import COMMAND, REPOSITORY

vf = pytest.importorskip("verifiers", reason="verifiers is not installed")
if not hasattr(vf, "ToolEnv"):
    pytest.skip("this is not verifiers 0.1", allow_module_level=True)

from datasets import Dataset  # noqa: E402

import rolltape.verifiers  # noqa: E402


def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


def double(number: int) -> int:
    """Doubles a number."""
    return 2 * number


def is_right(completion: Any, answer: str) -> float:
    return float(completion[-1].content == answer)


def make_environment() -> Any:
    rubric = vf.Rubric(funcs=[is_right, lambda completion: len(completion) / 10], weights=[1.0, 0.5])
    return vf.ToolEnv(tools=[add, double], dataset=Dataset.from_list(QUESTIONS), rubric=rubric, max_turns=5)


@pytest.fixture(scope="module")
def engine(server: Server) -> ScriptedEngine:
    return ScriptedEngine(str(server.ready["model_path"]), script)


@pytest.fixture(scope="module")
def proxy(engine: ScriptedEngine, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(engine, str(server.ready["model_path"]), tmp_path_factory.mktemp("shared")) as running:
        yield running


@pytest.fixture
def proxy_client(proxy: Server) -> Iterator[Client]:
    with Client(proxy.url, proxy.admin_key) as client:
        yield client


def test_the_tasks_are_the_rows_of_the_dataset() -> None:
    _, tasks = rolltape.verifiers.load(make_environment())
    assert [(task["example_id"], task["question"], task["answer"]) for task in tasks] == [
        (index, each["question"], each["answer"]) for index, each in enumerate(QUESTIONS)
    ]
    assert json.loads(json.dumps(tasks)) == tasks


def test_an_environment_without_training_data_gives_its_evaluation_data() -> None:
    rubric = vf.Rubric(funcs=[is_right])
    environment = vf.SingleTurnEnv(eval_dataset=Dataset.from_list(QUESTIONS[:1]), rubric=rubric)
    _, tasks = rolltape.verifiers.load(environment)
    assert [task["answer"] for task in tasks] == ["6"]


def test_rewards_are_those_of_the_rubric_and_rows_are_exact(
    proxy: Server, proxy_client: Client, engine: ScriptedEngine
) -> None:
    engine.calls.clear()
    agent, tasks = rolltape.verifiers.load(make_environment(), sampling={"max_tokens": 128, "temperature": 0.5})
    groups = asyncio.run(run_group(proxy, agent, tasks, 4))
    assert [group.errors for group in groups] == [[], [], []]
    rewards = [1.0 + 0.25, 0.25, 1.0 + 0.25]
    assert [[episode.reward for episode in group.episodes] for group in groups] == [[reward] * 4 for reward in rewards]
    assert len(engine.calls) == 3 * 4 * 3
    assert {sampling["max_new_tokens"] for _, sampling, _, _ in engine.calls} == {128}
    # Each rollout is a session of its own.
    assert len({session for _, _, session, _ in engine.calls}) == 12

    ids = [session_id for group in groups for session_id in group.session_ids]
    batch = proxy_client.export_batch(ids, style="concat", layout="packed", turns=True)
    assert batch.rewards.tolist() == np.repeat(rewards, 4).tolist()
    assert len(batch.rows) == 12
    assert batch.column("temperature").tolist() == [0.5] * 12
    # A row is the last prompt of its rollout and what the engine answered to it.
    last = {session: [*prompt, *sampled] for prompt, _, session, sampled in engine.calls}
    starts = batch["cu_seqlens"]
    rows = [batch["input_ids"][begin:end].tolist() for begin, end in zip(starts, starts[1:], strict=False)]
    assert sorted(rows) == sorted(last.values())
    sampled_ids = sum(len(sampled) for _, _, _, sampled in engine.calls)
    assert int(batch["loss_mask"].sum()) == sampled_ids
    expected = sorted(value for _, _, _, ids in engine.calls for value in np.float32(engine.logprobs(ids)).tolist())
    assert sorted(batch["logprobs"][batch["loss_mask"].astype(bool)].tolist()) == expected


def test_a_training_loop_runs_on_the_environment(proxy: Server) -> None:
    agent, tasks = rolltape.verifiers.load(make_environment(), sampling={"max_tokens": 128})

    async def main() -> list[tuple[list[float], float]]:
        async with AsyncClient(proxy.url, proxy.admin_key) as client:
            return [
                (step.batch.rewards.tolist(), (await step.evaluate(tasks[:1])).mean)
                async for step in rolltape.rollouts(agent, tasks, server=client, n=2, batch_tasks=3, epochs=2)
            ]

    assert asyncio.run(main()) == [([1.25, 1.25, 0.25, 0.25, 1.25, 1.25], 1.25)] * 2


def test_a_rollout_that_ends_with_an_error_fails_its_episode(proxy: Server, proxy_client: Client) -> None:
    class Broken(vf.ToolEnv):  # type: ignore[misc, name-defined]
        async def setup_state(self, state: Any) -> None:
            if state["answer"] == "14":
                raise vf.SandboxError("no sandbox is left")

    rubric = vf.Rubric(funcs=[is_right])
    environment = Broken(tools=[add, double], dataset=Dataset.from_list(QUESTIONS), rubric=rubric)
    agent, tasks = rolltape.verifiers.load(environment, sampling={"max_tokens": 128})
    groups = asyncio.run(run_group(proxy, agent, tasks, 2))
    assert [len(group.session_ids) for group in groups] == [2, 0, 2]
    error = groups[1].errors[0]
    assert isinstance(error, rolltape.RolltapeError)
    assert error.code == "environment_failed"
    assert "SandboxError" in error.message
    assert "no sandbox is left" in error.message
    kept = {record["session_id"] for record in proxy_client.sessions()}
    assert set(groups[0].session_ids) <= kept


def test_a_model_call_that_fails_is_named(proxy: Server, engine: ScriptedEngine) -> None:
    agent, tasks = rolltape.verifiers.load(make_environment(), sampling={"max_tokens": 128})

    def broken(prompt: str) -> str:
        raise RuntimeError("out of memory")

    engine.script = broken
    try:
        (group,) = asyncio.run(run_group(proxy, agent, tasks[:1], 1))
    finally:
        engine.script = script
    assert "out of memory" in str(group.errors[0])


def test_a_prompt_that_is_too_long_ends_the_rollout_as_truncated(proxy: Server) -> None:
    def long_answer(number: int) -> str:
        """Doubles a number."""
        return "x" * 5000

    long_answer.__name__ = "double"
    rubric = vf.Rubric(funcs=[lambda state: float(state["is_truncated"])])
    environment = vf.ToolEnv(tools=[add, long_answer], dataset=Dataset.from_list(QUESTIONS), rubric=rubric)
    agent, tasks = rolltape.verifiers.load(environment, sampling={"max_tokens": 128})
    (group,) = asyncio.run(run_group(proxy, agent, tasks[:1], 1))
    assert [episode.reward for episode in group.episodes] == [1.0]


def test_rewards_of_whole_groups_are_refused() -> None:
    def best(completions: list[Any]) -> list[float]:
        return [1.0] * len(completions)

    environment = vf.SingleTurnEnv(dataset=Dataset.from_list(QUESTIONS), rubric=vf.Rubric(funcs=[best]))
    with pytest.raises(ValueError, match="whole groups"):
        rolltape.verifiers.load(environment)


AGENT = """
import sys
sys.path.insert(0, {tests!r})
import rolltape.verifiers

solve, tasks = rolltape.verifiers.load("sums_environment", sampling={{"max_tokens": 128}}, questions=2)
"""

ENVIRONMENT = """
import test_verifiers

def load_environment(questions):
    environment = test_verifiers.make_environment()
    environment.dataset = environment.dataset.select(range(questions))
    return environment
"""


def test_rolltape_rollout_runs_an_environment_by_its_name(proxy: Server, tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT.format(tests=str(Path(__file__).parent)))
    (tmp_path / "sums_environment.py").write_text(ENVIRONMENT)
    here = Path(__file__).resolve().parents[1]
    paths = [str(here), str(here.parent / "src"), str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "ROLLTAPE_ADMIN_API_KEY": proxy.admin_key}
    write = "import agent, json; [print(json.dumps(task)) for task in agent.tasks]"
    tasks = subprocess.run(
        [sys.executable, "-c", write], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    (tmp_path / "tasks.jsonl").write_bytes(tasks.stdout)
    assert len(tasks.stdout.splitlines()) == 2
    words = [
        "node",
        str(COMMAND),
        "rollout",
        "--agent",
        "./agent.py:solve",
        "--data",
        "tasks.jsonl",
        "--out",
        "out.safetensors",
        "--group-size",
        "2",
        "--proxy",
        proxy.url,
        f"rollout.agent.python={sys.executable}",
        "rollout.agent.subproc_max_workers=1",
        "rollout.agent.export_style=concat",
    ]
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr + run.stdout
    with rolltape.Batch.open(tmp_path / "out.safetensors") as batch:
        episodes = sorted(
            (row["task_id"], episode["reward"]) for row, episode in zip(batch.rows, batch.episodes, strict=True)
        )
    assert episodes == [("task-0", 1.25), ("task-0", 1.25), ("task-1", 0.25), ("task-1", 0.25)]


def test_the_program_of_the_guide_runs(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "guides" / "verifiers.md").read_text()
    (program,) = (each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "async def main" in each)
    (tmp_path / "rolltape").symlink_to(COMMAND)
    paths = {"PYTHONPATH": str(REPOSITORY / "python" / "src"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={**os.environ, **paths}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr[-4000:]
    assert [line.split()[0] for line in run.stdout.splitlines() if line[:2] in ("0 ", "1 ")] == ["0", "1"], run.stdout
