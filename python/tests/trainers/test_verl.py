"""verl's own workers with agents of Rolltape: rows, advantages and log probabilities as its trainer computes them."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("verl")
import torch
import verl
import verl.trainer.ppo.v1.agent_loop_tq as v1
from hydra import compose, initialize_config_dir
from omegaconf import DictConfig, OmegaConf
from transformers import AutoModelForImageTextToText
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.trainer.ppo.core_algos import compute_policy_loss_vanilla
from verl.trainer.ppo.ray_trainer import compute_advantage
from verl.trainer.ppo.v1.utils import compute_advantage_for_multi_trajectories
from verl.utils.config import omega_conf_to_dataclass
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead
from verl.workers.utils.padding import left_right_2_no_padding

from image_batches import image_batch
from rolltape import AsyncSession, Client, Server, attention, vision
from rolltape.verl import RolltapeManager, _clients, _output
from support import COMMAND, ended_session
from tiny_vision import BLUE, IMAGE_TOKEN, RED, write_vision_model
from token_channels import experts_of, with_experts
from torch_engine import TorchEngine
from two_turns import two_turns

PROMPT, RESPONSE = 64, 96


class VerlEngine(TorchEngine):
    """Stands in for verl's client in an agent loop: it samples, and names the version of its weights."""

    async def generate(
        self, request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any
    ) -> Any:
        stops = sampling_params.get("stop_token_ids") or []
        tokens, logprobs = self.sample(prompt_ids, sampling_params["max_tokens"], sampling_params["temperature"], stops)
        steps = {"min_global_steps": self.version, "max_global_steps": self.version}
        return SimpleNamespace(token_ids=tokens, log_probs=logprobs, stop_reason="completed", extra_fields=steps)


async def agent(task: dict[str, Any], session: AsyncSession) -> float:
    """Tasks that say so have a side call, or fail. The reward is a count of letters."""
    messages = [dict(message) for message in task["raw_prompt"]]
    kind = messages[0]["content"]
    said = await two_turns(session, messages, [{"max_tokens": 6}] * 3, branches=kind == "tree", fails=kind == "bad")
    return sum(letter in "aeiou" for letter in said) / 10 + len(said) / 1000


@pytest.fixture(scope="module")
def path(server: Server) -> str:
    return str(server.ready["model_path"])


@pytest.fixture(scope="module")
def engine(path: str) -> VerlEngine:
    return VerlEngine(path, 3)


def config_of(path: str, folder: Path, **loop: Any) -> DictConfig:
    loops = folder / "loops.yaml"
    target = {"name": "rolltape", "_target_": "rolltape.verl.RolltapeAgentLoop", "agent": f"{__name__}:agent"}
    OmegaConf.save(OmegaConf.create([{**target, **loop}]), loops)
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        return compose(
            "ppo_trainer",
            [
                f"actor_rollout_ref.model.path={path}",
                "actor_rollout_ref.rollout.name=vllm",
                "actor_rollout_ref.rollout.calculate_log_probs=true",
                "actor_rollout_ref.rollout.temperature=0.8",
                "actor_rollout_ref.rollout.n=2",
                f"actor_rollout_ref.rollout.agent.agent_loop_config_path={loops}",
                "actor_rollout_ref.rollout.agent.default_agent_loop=rolltape",
                "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1",
                f"data.max_prompt_length={PROMPT}",
                f"data.max_response_length={RESPONSE}",
            ],
        )


def prompts_of(kinds: list[str]) -> dict[str, Any]:
    raw = np.empty(len(kinds), object)
    raw[:] = [[{"role": "user", "content": kind}] for kind in kinds]
    return {"raw_prompt": raw, "uid": np.array(kinds, object), "index": np.arange(len(kinds))}


@pytest.fixture(params=["own proxy", "proxy of a URL"])
def loop(
    request: pytest.FixtureRequest, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, Any]:
    _clients.clear()
    # The worker's own proxy is the program of this repository.
    program = tmp_path / "rolltape"
    program.write_text(f'#!/bin/sh\nexec node {COMMAND} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    if request.param == "proxy of a URL":
        return {"url": server.url, "admin_key": server.admin_key}
    return {"settings": {"server.log_level": "warn"}}


def recomputed(engine: TorchEngine, ids: torch.Tensor, mask: torch.Tensor, response: int) -> torch.Tensor:
    """The log probabilities that an actor in float32 has for the response's tokens at the rollout's temperature."""
    with torch.no_grad():
        logits = engine.model(ids, attention_mask=mask).logits.float()[:, -response - 1 : -1] / 0.8
    return torch.log_softmax(logits, -1).gather(-1, ids[:, -response:, None])[..., 0]


def test_the_classic_worker_trains_on_the_tokens_that_were_sampled(
    path: str, engine: VerlEngine, tmp_path: Path, loop: dict[str, Any]
) -> None:
    worker = AgentLoopWorker(config_of(path, tmp_path, **loop), engine)
    kinds = ["one", "one", "tree", "tree"]
    batch = DataProto.from_dict(non_tensors=prompts_of(kinds), meta_info={"global_steps": 3, "validate": False})
    output = asyncio.run(worker.generate_sequences(batch))
    tensors = output.batch
    assert tensors["prompts"].shape == (4, PROMPT)
    assert (
        tensors["responses"].shape == tensors["rollout_log_probs"].shape == tensors["rm_scores"].shape == (4, RESPONSE)
    )
    mask = tensors["response_mask"]
    assert (mask.sum(1) > 0).all()
    new = recomputed(engine, tensors["input_ids"], tensors["attention_mask"], RESPONSE)
    apart = ((new - tensors["rollout_log_probs"]).abs() * mask).max().item()
    # The embedded engine of the other proxy has a cache in float16.
    assert apart < (4e-3 if "url" in loop else 1e-5)

    output.batch["token_level_rewards"] = tensors["rm_scores"]
    output.non_tensor_batch["uid"] = np.array(kinds, object)
    compute_advantage(output, "grpo", num_repeat=2, norm_adv_by_std_in_grpo=True)
    scores = tensors["rm_scores"].sum(1)
    expected = torch.cat([(pair - pair.mean()) / (pair.std() + 1e-6) for pair in scores.split(2)])
    assert torch.allclose(output.batch["advantages"], expected[:, None] * mask, atol=1e-5)

    loss, *_ = compute_policy_loss_vanilla(
        old_log_prob=tensors["rollout_log_probs"],
        log_prob=new,
        advantages=output.batch["advantages"],
        response_mask=mask,
        loss_agg_mode="token-mean",
        config=omega_conf_to_dataclass(worker.config.actor_rollout_ref.actor),
    )
    ratios = (new - tensors["rollout_log_probs"]).exp()
    by_hand = -(ratios * output.batch["advantages"] * mask).sum() / mask.sum()
    assert float(loss) == pytest.approx(float(by_hand), abs=1e-5)


def test_the_manager_tells_the_proxy_the_version_of_a_step(
    path: str, engine: VerlEngine, tmp_path: Path, server: Server, client: Client
) -> None:
    config = config_of(path, tmp_path, url=server.url, admin_key=server.admin_key)
    _clients.clear()
    worker = AgentLoopWorker(config, engine)
    manager = object.__new__(RolltapeManager)
    manager.rollout_config = config.actor_rollout_ref.rollout
    # The constructor starts the workers with Ray.
    manager.agent_loop_workers = [SimpleNamespace(generate_sequences=SimpleNamespace(remote=worker.generate_sequences))]
    batch = DataProto.from_dict(non_tensors=prompts_of(["one"]), meta_info={"global_steps": 7, "validate": False})
    try:
        output = asyncio.run(_generate(manager, batch))
        assert output.non_tensor_batch["min_global_steps"].tolist() == [7]
        assert client.weights()["version"] == 7
    finally:
        client.set_version(0)


async def _generate(manager: RolltapeManager, batch: DataProto) -> DataProto:
    return await manager.generate_sequences(batch)


def test_the_classic_worker_gets_the_error_of_a_failed_episode(
    path: str, engine: VerlEngine, tmp_path: Path, loop: dict[str, Any]
) -> None:
    worker = AgentLoopWorker(config_of(path, tmp_path, **loop), engine)
    batch = DataProto.from_dict(non_tensors=prompts_of(["bad"]), meta_info={"global_steps": 3, "validate": False})
    with pytest.raises(LookupError, match="no tool"):
        asyncio.run(worker.generate_sequences(batch))


class Queue:
    """Keeps what verl's v1 worker puts into its TransferQueue, which needs Ray."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.status: dict[str, str] = {}
        self.rows: dict[str, Any] = {}
        self.tags: dict[str, dict[str, Any]] = {}
        monkeypatch.setattr(v1.tq, "init", lambda: None)
        monkeypatch.setattr(v1.tq, "async_kv_put", self.put)
        monkeypatch.setattr(v1.tq, "async_kv_batch_put", self.put_all)

    async def put(self, *, key: str, partition_id: str, tag: dict[str, Any]) -> None:
        self.status[key] = tag["status"]

    async def put_all(self, *, keys: list[str], fields: Any, tags: list[dict[str, Any]], partition_id: str) -> None:
        self.rows |= {key: fields[at] for at, key in enumerate(keys)}
        self.tags |= dict(zip(keys, tags, strict=True))


def test_the_v1_worker_gets_all_rows_of_a_branched_episode(
    path: str, engine: VerlEngine, tmp_path: Path, loop: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(monkeypatch)
    worker = v1.AgentLoopWorkerTQ.__ray_metadata__.modified_class(config_of(path, tmp_path, **loop), engine)
    sampling = {"temperature": 0.8, "top_p": 1.0, "top_k": -1, "repetition_penalty": 1.0, "logprobs": True}

    async def main() -> None:
        trajectory = {"step": 3, "sample_index": 0, "rollout_n": 0, "validate": False}
        for index, kind in enumerate(["one", "tree", "bad"]):
            raw = [{"role": "user", "content": kind}]
            prompt = {"raw_prompt": raw, "uid": kind, "index": index, "global_steps": 3, "agent_name": "rolltape"}
            await worker._run_prompt(prompt, sampling, trajectory=trajectory)

    asyncio.run(main())
    assert queue.status == {"one": "finished", "tree": "finished", "bad": "failure"}
    sessions = {key.rpartition("_")[0] for key in queue.rows}
    assert sessions == {"one_0", "one_1", "tree_0", "tree_1"}
    for session in sessions:
        keys = sorted(key for key in queue.rows if key.startswith(session))
        assert len(keys) >= (2 if "tree" in session else 1)
        assert len({float(queue.rows[key]["rm_scores"][-1]) for key in keys}) == 1
    for key, row in queue.rows.items():
        new = recomputed(engine, row["input_ids"][None], torch.ones_like(row["input_ids"])[None], len(row["responses"]))
        apart = ((new[0] - row["rollout_log_probs"]).abs() * row["response_mask"]).max().item()
        assert apart < (4e-3 if "url" in loop else 1e-5)
        version = 0 if "url" in loop else engine.version
        assert (queue.tags[key]["min_global_steps"], queue.tags[key]["max_global_steps"]) == (version, version)

    # verl's own advantages count each session once, with the reward of its last row.
    keys = sorted(queue.rows)
    rewards = torch.zeros(len(keys), RESPONSE)
    mask = torch.zeros(len(keys), RESPONSE)
    for at, key in enumerate(keys):
        length = len(queue.rows[key]["responses"])
        rewards[at, length - 1] = queue.rows[key]["rm_scores"][-1]
        mask[at, :length] = queue.rows[key]["response_mask"]
    last = {key.rpartition("_")[0]: float(queue.rows[key]["rm_scores"][-1]) for key in keys}
    advantages = grpo_of(keys, rewards, mask)
    for at, key in enumerate(keys):
        uid, session = key.split("_")[0], key.rpartition("_")[0]
        group = torch.tensor([last[f"{uid}_0"], last[f"{uid}_1"]])
        expected = (last[session] - group.mean()) / (group.std() + 1e-6)
        assert torch.allclose(advantages[at], expected * mask[at], atol=1e-5)


def grpo_of(keys: list[str], rewards: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    batch = DataProto.from_dict(
        tensors={"token_level_rewards": rewards, "response_mask": mask},
        non_tensors={
            "uid": np.array([key.split("_")[0] for key in keys], object),
            "session_id": np.array([key.split("_")[1] for key in keys], object),
        },
    )
    return compute_advantage_for_multi_trajectories(batch, keys, "grpo").batch["advantages"]


def test_verl_gets_the_experts_of_each_token(server: Server) -> None:
    with Client(server.url, server.admin_key) as client:
        session_id = ended_session(client)
        batch = with_experts(client.export_batch([session_id], layout="packed", style="concat", turns=True))
    (sample,) = batch.samples()
    ids = [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()]
    # What verl's v1 worker stores.
    experts = _output(sample, 1.0).as_dict()["routed_experts"]
    assert (experts.dtype, experts.shape) == (torch.int16, (len(ids), 2, 3))
    assert experts[:-1].tolist() == experts_of(ids[:-1])


def test_verl_trains_on_the_pictures_of_rows(path: str, tmp_path: Path) -> None:
    folder = write_vision_model(path, tmp_path / "model")
    worker = AgentLoopWorker(config_of(folder, tmp_path), None)
    batch = image_batch(
        tmp_path,
        RED,
        BLUE,
        branches=True,
        pad=IMAGE_TOKEN,
        layout="packed",
        style="concat",
        onMismatch="split",
        turns=True,
    )
    outputs = [_output(row, 1.0) for row in batch.samples()]

    async def padded() -> DataProto:
        rows = [await worker._agent_loop_postprocess(each, validate=False, raw_prompt=[]) for each in outputs]
        return worker._postprocess(rows)

    data = asyncio.run(padded())
    mask = data.batch["response_mask"]
    tensors = left_right_2_no_padding(data.to_tensordict())
    tensors["temperature"] = torch.ones(len(batch))
    # What verl's engine passes to the model. Its constructor needs several processes.
    engine = object.__new__(FSDPEngineWithLMHead)
    engine.pad_to_length = engine.use_ulysses_sp = False
    inputs, _ = engine.prepare_model_inputs(tensors)
    ours = attention.model_arguments(batch) | vision.inputs(batch, worker.processor)
    for name in ("input_ids", "position_ids", "pixel_values", "image_grid_thw"):
        assert torch.equal(inputs[name], ours[name]), name

    model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32)
    logits = model(**inputs, use_cache=False).logits[0, :-1].log_softmax(-1)
    new = torch.zeros(batch["input_ids"].shape)
    new[1:] = logits.gather(-1, inputs["input_ids"][0, 1:, None])[:, 0]
    torch.testing.assert_close(
        new.masked_fill(torch.from_numpy(batch["loss_mask"]) == 0, 0),
        attention.token_logprobs(model(**ours).logits, batch),
        rtol=1e-4,
        atol=1e-5,
    )
    responses = torch.zeros(mask.shape)
    for row, sample in enumerate(batch.samples()):
        end = int(batch["cu_seqlens"][row + 1])
        responses[row, : len(sample.response_ids)] = new[end - len(sample.response_ids) : end]
    loss, *_ = compute_policy_loss_vanilla(
        old_log_prob=data.batch["rollout_log_probs"],
        log_prob=responses,
        advantages=mask.float(),
        response_mask=mask,
        loss_agg_mode="token-mean",
        config=omega_conf_to_dataclass(worker.config.actor_rollout_ref.actor),
    )
    loss.backward()
    assert torch.isfinite(loss)
    assert all(block.attn.qkv.weight.grad.abs().max() > 0 for block in model.model.visual.blocks)
