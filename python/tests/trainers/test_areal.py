"""The workflow for AReaL, with the published package's own base class, check and grouping. Importing all of it needs a GPU."""

from __future__ import annotations

import ast
import asyncio
import importlib
import logging
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rolltape import Server
from scripted_engine import ScriptedEngine
from sums import serve
from support import chat

if find_spec("areal") is None:
    pytest.skip("areal is not installed", allow_module_level=True)

import torch


class Interaction:
    """AReaL's other kind of result, which a workflow may return too."""


def compile_from(path: Path, names: set[str], known: dict[str, Any]) -> SimpleNamespace:
    """Compiles functions and classes of a file by name, without importing the file."""
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if getattr(node, "name", None) in names or _is_future(node)]
    exec(compile(tree, str(path), "exec"), known)
    return SimpleNamespace(**{name: known[name] for name in names})


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


@pytest.fixture(scope="module")
def areal() -> Iterator[SimpleNamespace]:
    before = set(sys.modules)
    spec = find_spec("areal")
    assert spec is not None
    (root,) = spec.submodule_search_locations or []
    for name in ("areal", "areal.api"):
        package = sys.modules[name] = ModuleType(name)
        package.__path__ = [str(Path(root, *name.split(".")[1:]))]
    sys.modules["areal.experimental"] = ModuleType("areal.experimental")
    openai = sys.modules["areal.experimental.openai"] = ModuleType("areal.experimental.openai")
    openai.__dict__["InteractionWithTokenLogpReward"] = Interaction
    known = {
        "torch": torch,
        "asyncio": asyncio,
        "logging": logging,
        "Any": Any,
        "InteractionWithTokenLogpReward": Interaction,
        "RolloutWorkflow": importlib.import_module("areal.api.workflow_api").RolloutWorkflow,
    }
    helpers = {"concat_padded_tensors", "_pad_cat_dim0", "is_multi_modal_key", "get_batch_size"}
    data = compile_from(Path(root, "utils/data.py"), helpers, known)
    executor = compile_from(Path(root, "infra/workflow_executor.py"), {"check_trajectory_format"}, known)
    known["concat_padded_tensors"] = data.concat_padded_tensors
    engine = compile_from(Path(root, "infra/remote_inf_engine.py"), {"GroupedRolloutWorkflow"}, known)
    yield SimpleNamespace(
        workflow=importlib.import_module("rolltape.areal").RolltapeWorkflow,
        check=executor.check_trajectory_format,
        grouped=engine.GroupedRolloutWorkflow,
    )
    for name in [name for name in sys.modules if name not in before and name.startswith(("areal", "rolltape.areal"))]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def engine(server: Server) -> ScriptedEngine:
    engine = ScriptedEngine(str(server.ready["model_path"]), lambda prompt: f"turn {prompt.count('assistant')}")
    engine.version = None
    return engine


@pytest.fixture(scope="module")
def proxy(engine: ScriptedEngine, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(engine, str(server.ready["model_path"]), tmp_path_factory.mktemp("shared")) as running:
        yield running


class Agent:
    """Two turns; fails in its first episode if the task says so."""

    def __init__(self) -> None:
        self.episodes = 0

    async def __call__(self, task: dict[str, Any], session: Any) -> float:
        self.episodes += 1
        if task.get("fails") and self.episodes == 1:
            raise RuntimeError("the sandbox is gone")
        messages = [{"role": "user", "content": task["question"]}]
        reply = await asyncio.to_thread(chat, session, messages, temperature=1.0, max_tokens=32)
        messages += [reply["choices"][0]["message"], {"role": "user", "content": "Go on."}]
        await asyncio.to_thread(chat, session, messages, max_tokens=32)
        return 0.5


def at(version: int) -> Any:
    return SimpleNamespace(get_version=lambda: version)


def make_workflow(areal: SimpleNamespace, proxy: Server, **options: Any) -> Any:
    return areal.workflow(Agent(), url=proxy.url, admin_key=proxy.admin_key, **options)


def run(workflow: Any, version: int, **data: Any) -> Any:
    return asyncio.run(workflow.arun_episode(at(version), {"question": "How are you?", **data}))


def test_an_episode_is_a_trajectory_of_the_engines_tokens(
    areal: SimpleNamespace, proxy: Server, engine: ScriptedEngine
) -> None:
    engine.calls.clear()
    trajectory = run(make_workflow(areal, proxy, style="concat", sampling_override={"temperature": 0.5}), 3)
    assert areal.check(trajectory)
    (first, second) = [(prompt, sampled) for prompt, _, _, sampled in engine.calls]
    assert {sampling["temperature"] for _, sampling, _, _ in engine.calls} == {0.5}
    assert trajectory["input_ids"].tolist() == [second[0] + second[1]]
    mask = trajectory["loss_mask"][0].bool()
    assert trajectory["input_ids"][0][mask].tolist() == first[1] + second[1]
    expected = np.float32([*engine.logprobs(first[1]), *engine.logprobs(second[1])]).tolist()
    assert trajectory["logprobs"][0][mask].tolist() == expected
    assert set(trajectory["versions"][0][mask].tolist()) == {3}
    assert set(trajectory["versions"][0][~mask].tolist()) == {-1}
    assert trajectory["attention_mask"].all()
    assert trajectory["rewards"].tolist() == [0.5]
    types = {name: str(value.dtype).removeprefix("torch.") for name, value in trajectory.items()}
    integers = dict.fromkeys(("input_ids", "loss_mask", "versions"), "int32")
    assert types == {**integers, "attention_mask": "bool", "logprobs": "float32", "rewards": "float32"}


def test_each_call_is_a_row_by_default(areal: SimpleNamespace, proxy: Server, engine: ScriptedEngine) -> None:
    engine.calls.clear()
    trajectory = run(make_workflow(areal, proxy), 4)
    assert areal.check(trajectory)
    lengths = [len(prompt) + len(sampled) for prompt, _, _, sampled in engine.calls]
    assert trajectory["attention_mask"].sum(1).tolist() == lengths
    assert trajectory["input_ids"].shape == (2, max(lengths))
    assert trajectory["loss_mask"].sum(1).tolist() == [len(sampled) for _, _, _, sampled in engine.calls]
    assert trajectory["input_ids"][0, lengths[0] :].abs().sum() == 0


def test_areal_groups_episodes_and_leaves_out_rejected_ones(
    areal: SimpleNamespace, proxy: Server, caplog: pytest.LogCaptureFixture
) -> None:
    grouped = areal.grouped(make_workflow(areal, proxy, style="concat"), 3, logging.getLogger("areal"))
    trajectory = run(grouped, 5, fails=True)
    assert areal.check(trajectory, batch_size=2)
    assert "the sandbox is gone" in caplog.text


def test_an_episode_that_fails_is_rejected(areal: SimpleNamespace, proxy: Server) -> None:
    trajectory = run(make_workflow(areal, proxy), 6, fails=True)
    assert trajectory is None
    assert areal.check(trajectory)
