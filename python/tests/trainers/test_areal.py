"""The workflow for AReaL, with the published package's own base class, check and grouping. Importing all of it needs a GPU."""

from __future__ import annotations

import ast
import asyncio
import functools
import importlib
import logging
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from rolltape import Server
from scripted_engine import ScriptedEngine
from sums import serve
from support import chat

if find_spec("areal") is None:
    pytest.skip("areal is not installed", allow_module_level=True)

import torch

from torch_engine import TorchEngine


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
        "F": torch.nn.functional,
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
        concat=data.concat_padded_tensors,
        **compile_actor(Path(root)),
    )
    for name in [name for name in sys.modules if name not in before and name.startswith(("areal", "rolltape.areal"))]:
        del sys.modules[name]


def compile_actor(root: Path) -> dict[str, Any]:
    """AReaL's actor, its loss, and the log probabilities of its engine. What they log is thrown away."""
    logs = MagicMock(scope_func_wrapper=lambda _: lambda function: function)
    known: dict[str, Any] = {"torch": torch, "Any": Any, "functools": functools, "stats_tracker": logs, "logger": logs}
    known |= {"np": np, "dist": torch.distributed}
    known["trace_perf"] = lambda *_, **__: lambda function: function
    # Classes that are named in annotations only, and what the logs need.
    unused = ("TrainEngine", "PPOActorConfig", "RejectionSamplingConfig", "NormConfig", "batched_call")
    known |= dict.fromkeys((*unused, "infer_token_denominator", "_log_proximal_approximation_stats"), MagicMock())
    known |= dict.fromkeys(("PROX_LOGP_METHOD_RECOMPUTE", "PROX_LOGP_METHOD_METRICS", "PROX_LOGP_METHOD_LOGLINEAR"), "")
    compile_from(root / "utils/data.py", {"Normalization", "KLEstimator"}, known)
    compile_from(root / "utils/functional/functional.py", {"ppo_actor_loss_fn"}, known)
    compile_from(root / "utils/functional/vocab_parallel.py", {"_gather_logprobs"}, known)
    names = {"PPOActor", "grpo_loss_fn", "_resolve_proximal_logp"}
    actor = compile_from(root / "trainer/ppo/actor.py", names, known)
    return {"actor": actor.PPOActor, "loss": actor.grpo_loss_fn, "logprobs": known["_gather_logprobs"]}


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
    """Two turns; fails in its first episode if the task says so. The reward is that of the next episode."""

    def __init__(self, *rewards: float) -> None:
        self.episodes = 0
        self.rewards = rewards or (0.5,)

    async def __call__(self, task: dict[str, Any], session: Any) -> float:
        self.episodes += 1
        if task.get("fails") and self.episodes == 1:
            raise RuntimeError("the sandbox is gone")
        messages = [{"role": "user", "content": task["question"]}]
        reply = await asyncio.to_thread(chat, session, messages, temperature=1.0, max_tokens=32)
        messages += [reply["choices"][0]["message"], {"role": "user", "content": "Go on."}]
        await asyncio.to_thread(chat, session, messages, max_tokens=32)
        return self.rewards[(self.episodes - 1) % len(self.rewards)]


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


@pytest.mark.parametrize("style", ["concat", "individual"])
def test_the_loss_is_that_of_the_recorded_log_probabilities(
    areal: SimpleNamespace, server: Server, tmp_path: Path, style: str
) -> None:
    path = str(server.ready["model_path"])
    engine, temperature = TorchEngine(path), 0.7
    with serve(engine, path, tmp_path) as proxy:
        workflow = areal.workflow(
            Agent(0.25, 0.75),
            url=proxy.url,
            admin_key=proxy.admin_key,
            style=style,
            sampling_override={"temperature": temperature, "max_tokens": 8},
        )
        data = areal.concat([run(workflow, 3), run(workflow, 3)])
    assert areal.check(data)
    rewards = data["rewards"]
    assert rewards.shape == ((2,) if style == "concat" else (4,))

    with torch.no_grad():
        logits = engine.model(data["input_ids"].long(), attention_mask=data["attention_mask"].long()).logits
    new = areal.logprobs(logits, data["input_ids"].long().roll(-1, 1), temperature)
    actor = object.__new__(areal.actor)
    # The configuration of its GRPO examples.
    norm = SimpleNamespace(mean_level="group", std_level="group", mean_leave1out=False, std_unbiased=True, eps=1e-5)
    norm.group_size = len(rewards)
    actor.__init__(actor_config(reward_norm=norm), MagicMock())
    data = actor._compute_advantages(data)

    mask, old = data["loss_mask"].bool(), data["logprobs"]
    assert ((new - old).abs() * mask).max() < 1e-5
    normalized = (rewards - rewards.mean()) / (rewards.std() + 1e-5)
    assert torch.allclose(data["advantages"] * mask, normalized[:, None] * mask, atol=1e-5)
    limits = {"eps_clip": 0.2, "eps_clip_higher": None, "c_clip": None}
    loss = areal.loss(new, torch.zeros_like(new), data, prox_logp_method="recompute", **limits)
    by_hand = -((new - old).exp() * normalized[:, None] * mask).sum() / mask.sum()
    assert loss.item() == pytest.approx(by_hand.item(), abs=1e-6)


def actor_config(**values: Any) -> MagicMock:
    """The configuration of an actor whose old log probabilities are the engine's."""
    defaults = {"reward_bias": 0.0, "reward_scaling": 1.0, "reward_clip": 20.0, "kl_ctl": 0.0, "kl_estimator": "k1"}
    off = dict.fromkeys(("adv_norm", "use_decoupled_loss", "recompute_logprob", "overlong_reward_penalty"))
    return MagicMock(**defaults, **off, discount=1.0, gae_lambda=1.0, mask_no_eos_with_zero=False, **values)


def test_an_episode_that_fails_is_rejected(areal: SimpleNamespace, proxy: Server) -> None:
    trajectory = run(make_workflow(areal, proxy), 6, fails=True)
    assert trajectory is None
    assert areal.check(trajectory)
