"""Tasksets of the published verifiers 0.4, with an engine that says what the tests want."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import numpy as np
import pytest

import rolltape
from rolltape import Client, Server
from scripted_engine import ScriptedEngine
from sums import QUESTIONS, run_group, script, serve

vf = pytest.importorskip("verifiers.v1", reason="verifiers is not installed")
if not hasattr(vf, "resolve_env_config"):
    pytest.skip("this is not verifiers 0.4", allow_module_level=True)

import rolltape.verifiers  # noqa: E402

LOCAL = {"harness": {"id": "null"}, "runtime": {"type": "subprocess"}}


def test_the_tasks_are_those_of_the_taskset() -> None:
    _, tasks = rolltape.verifiers.load("sums-taskset", agent=LOCAL)
    assert isinstance(tasks, list)
    assert [(task["idx"], task["prompt"], task["answer"]) for task in tasks] == [
        (index, each["question"], each["answer"]) for index, each in enumerate(QUESTIONS)
    ]
    assert json.loads(json.dumps(tasks)) == tasks


def test_an_infinite_taskset_gives_an_iterator() -> None:
    _, tasks = rolltape.verifiers.load("sums-taskset", agent=LOCAL, taskset={"infinite": True, "num_tasks": 1})
    assert not isinstance(tasks, list)
    assert [task["answer"] for task in tasks] == ["6"]


def test_a_loaded_environment_takes_no_arguments() -> None:
    config = vf.resolve_env_config({"taskset": {"id": "sums-taskset"}, "agent": LOCAL})
    _, tasks = rolltape.verifiers.load(config)
    assert len(list(tasks)) == 3
    with pytest.raises(TypeError, match="agent"):
        rolltape.verifiers.load(config, agent=LOCAL)


def test_rewards_are_those_of_the_task_and_rows_are_exact(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its tool server is a process that imports the taskset.
    folder = str(Path(__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")]))
    model_path = str(server.ready["model_path"])
    engine = ScriptedEngine(model_path, script)
    agent, tasks = rolltape.verifiers.load(
        "sums-taskset", sampling={"max_tokens": 128, "temperature": 0.5}, agent=LOCAL
    )
    with serve(engine, model_path, tmp_path) as proxy:
        groups = asyncio.run(run_group(proxy, agent, list(tasks), 1))
        assert [[episode.reward for episode in group.episodes] for group in groups] == [[1.15], [0.15], [None]]
        (error,) = groups[2].errors
        assert isinstance(error, rolltape.RolltapeError)
        assert error.code == "environment_failed"
        assert "no judge is left" in error.message

        kept = [session_id for group in groups for session_id in group.session_ids]
        with Client(proxy.url, proxy.admin_key) as client:
            batch = client.export_batch(kept, style="concat", layout="packed", turns=True)
    assert batch.rewards.tolist() == np.float32([1.15, 0.15]).tolist()
    assert batch.column("temperature").tolist() == [0.5, 0.5]
    # Each rollout is a session of its own, and its row is its last prompt and the answer to it.
    last = {session: [*prompt, *sampled] for prompt, _, session, sampled in engine.calls}
    assert len(last) == 3
    bounds = batch["cu_seqlens"].tolist()
    rows = [batch["input_ids"][begin:end].tolist() for begin, end in zip(bounds, bounds[1:], strict=False)]
    assert [row in last.values() for row in rows] == [True, True]
    assert batch["loss_mask"].sum() == sum(len(ids) for _, _, _, ids in engine.calls) - _sampled_in(engine, "5 + 6")


def _sampled_in(engine: ScriptedEngine, question: str) -> int:
    """Returns how many tokens the engine sampled for a task."""
    return sum(len(ids) for prompt, _, _, ids in engine.calls if question in engine.vocabulary.decode(prompt))
