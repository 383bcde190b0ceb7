"""TransferQueue under a Ray of this machine, and verl's v1 trainer that reads from it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transfer_queue")
import ray
import torch
import transfer_queue as tq
import verl
from hydra import compose, initialize_config_dir
from transformers import AutoModelForCausalLM
from verl.trainer.ppo.v1 import get_trainer_cls

import rolltape
from rolltape import AsyncClient, AsyncSession, Batch, Client, Server
from rolltape.transferqueue import put_batch
from two_turns import two_turns

TYPES = {
    **dict.fromkeys(("prompts", "responses", "input_ids", "position_ids"), torch.int64),
    **dict.fromkeys(("response_mask", "loss_mask", "num_turns"), torch.int64),
    **dict.fromkeys(("rollout_log_probs", "rm_scores"), torch.float32),
}


@pytest.fixture(scope="module")
def queue() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # Ray would write a token into the home folder. A loaded machine needs long for its first processes.
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        patch.setenv("RAY_raylet_start_wait_time_s", "300")
        ray.init(num_cpus=4, include_dashboard=False, object_store_memory=100 * 2**20, log_to_driver=False)
        try:
            tq.init({"backend": {"SimpleStorage": {"num_data_storage_units": 1}}})
            yield
        finally:
            tq.close()
            ray.shutdown()


async def agent(task: str, session: AsyncSession) -> float:
    """The task `tree` has a side call. The reward depends on what the model said."""
    fields = [{"temperature": 0.8}] * 3
    said = await two_turns(session, [{"role": "user", "content": task}], fields, branches=task == "tree")
    return len(said) / 8 + sum(letter in "aeiou" for letter in said)


@pytest.fixture(scope="module")
def batch(server: Server) -> Batch:
    """Two groups of three episodes. Those of one branch."""

    async def rollout() -> Batch:
        async with AsyncClient(server.url, server.admin_key) as client:
            await client.set_version(6)
            groups = await rolltape.run_group(agent, ["one", "tree"], 3, client=client)
            sessions = [session for group in groups for session in group.session_ids]
            return await client.export_batch(
                sessions, style="concat", layout="packed", on_mismatch="split", shared_turns="first"
            )

    return asyncio.run(rollout())


@pytest.fixture
def meta(queue: None, batch: Batch) -> Iterator[Any]:
    yield put_batch(batch, global_steps=7)
    keys = [key for keys in tq.kv_list().values() for key in keys]
    if keys:
        tq.kv_clear(keys=keys, partition_id="train")


def test_the_queue_returns_the_rows_of_the_batch(meta: Any, batch: Batch) -> None:
    data = tq.kv_batch_get(keys=meta.keys, partition_id="train")
    assert {name: data[name].dtype for name in TYPES} == TYPES
    assert list(data["uid"]) == batch.groups
    samples = list(batch.samples())
    assert len(samples) == len(meta.keys) > 6
    for at, sample in enumerate(samples):
        row = {name: data[name][at].tolist() for name in TYPES}
        length = len(sample.prompt_ids) + len(sample.response_ids)
        assert row["prompts"] == sample.prompt_ids.tolist()
        assert row["responses"] == sample.response_ids.tolist()
        assert row["input_ids"] == row["prompts"] + row["responses"]
        assert row["position_ids"] == list(range(length))
        assert row["response_mask"] == row["loss_mask"] == sample.response_mask.tolist()
        assert row["rollout_log_probs"] == sample.response_logprobs.tolist()
        assert row["rm_scores"] == [0.0] * (len(sample.response_ids) - 1) + [sample.episode_reward]
        tag = tq.kv_list("train")["train"][meta.keys[at]]
        assert tag == {
            "status": "success",
            "prompt_len": len(sample.prompt_ids),
            "response_len": len(sample.response_ids),
            "seq_len": length,
            "global_steps": 7,
            "min_global_steps": 6,
            "max_global_steps": 6,
        }


def test_keys_count_the_episodes_of_a_group_and_the_rows_of_an_episode(meta: Any, batch: Batch) -> None:
    members: dict[str, list[str]] = {}
    for episode in batch.episodes:
        members.setdefault(str(episode["group_id"]), []).append(episode["session_id"])
    assert meta.keys == [
        f"{sample.group_id}_{members[str(sample.group_id)].index(sample.session_id)}_{sample.session_row}"
        for sample in batch.samples()
    ]
    assert {key.split("_")[1] for key in meta.keys} == {"0", "1", "2"}
    assert {key.split("_")[2] for key in meta.keys} >= {"0", "1"}


def test_a_row_without_trained_tokens_is_left_out(queue: None, batch: Batch) -> None:
    mask = batch["loss_mask"].copy()
    mask[: batch["cu_seqlens"][1]] = 0
    meta = put_batch(
        Batch({**batch.tensors, "loss_mask": mask}, batch.metadata), "other", global_steps=7, finish_groups=False
    )
    try:
        assert len(meta.keys) == len(batch) - 1
        assert list(tq.kv_list("other")["other"]) == meta.keys
        first = tq.kv_batch_get(keys=meta.keys[0], partition_id="other")
        assert first["responses"][0].tolist() == batch.samples()[1].response_ids.tolist()
    finally:
        tq.kv_clear(keys=meta.keys, partition_id="other")
    with pytest.raises(ValueError, match="no token to train on"):
        put_batch(Batch({**batch.tensors, "loss_mask": mask * 0}, batch.metadata), global_steps=7)


def test_other_layouts_and_ids_that_end_in_the_key_are_refused(batch: Batch, client: Client) -> None:
    padded = client.export_batch([batch.rows[0]["session_id"]], layout="padded")
    with pytest.raises(ValueError, match="received `padded`"):
        put_batch(padded, global_steps=7)
    named = {**batch.metadata, "rows": batch.metadata["rows"].replace('"group-', '"my_group-')}
    with pytest.raises(ValueError, match="received `my_group-"):
        put_batch(Batch(batch.tensors, named), global_steps=7)


def test_verls_v1_trainer_samples_the_groups_and_computes_its_advantages(
    meta: Any, batch: Batch, server: Server
) -> None:
    trainer = trainer_of(str(server.ready["model_path"]))
    sampled, _ = trainer.replay_buffer.sample(7, "train", 2)
    assert sorted(sampled.keys) == sorted(meta.keys)
    # It takes the recorded log probabilities as the old ones.
    sampled = trainer._compute_old_log_prob(sampled, {})
    sampled = trainer._compute_advantage(sampled, {})
    metrics: dict[str, Any] = {}
    trainer._compute_metrics(sampled, metrics, {"step": 1.0, "gen": 1.0}, global_steps=8, epoch=0)
    assert metrics["training/num_turns/mean"] == pytest.approx(2 * batch.column("turns").mean())
    assert metrics["training/off_policy/trajectory_staleness/mean"] == 1
    assert metrics["critic/score/max"] == pytest.approx(batch.column("episode_reward").max())

    data = tq.kv_batch_get(keys=meta.keys, partition_id="train")
    rewards = torch.from_numpy(batch.episode_column("reward").copy()).reshape(2, 3)
    assert len(set(rewards.flatten().tolist())) > 2
    relative = ((rewards - rewards.mean(1, True)) / (rewards.std(1, keepdim=True) + 1e-6)).flatten()
    model = AutoModelForCausalLM.from_pretrained(server.ready["model_path"], dtype=torch.float32).eval()
    for at in range(len(batch)):
        mask = data["response_mask"][at]
        assert data["old_log_probs"][at].tolist() == data["rollout_log_probs"][at].tolist()
        assert torch.allclose(data["advantages"][at], relative[batch.episode_of_row[at]] * mask, atol=1e-5)
        with torch.no_grad():
            logits = model(data["input_ids"][at][None]).logits[0, -len(mask) - 1 : -1].float()
        scores = torch.log_softmax(logits / batch.column("temperature")[at], -1)
        new = scores.gather(-1, data["responses"][at][:, None])[:, 0]
        # The embedded engine has a cache in float16.
        assert ((new - data["rollout_log_probs"][at]).abs() * mask).max() < 4e-3


def trainer_of(path: str) -> Any:
    with initialize_config_dir(str(Path(verl.__file__).parent / "trainer" / "config"), version_base=None):
        config = compose(
            "ppo_trainer",
            [
                f"actor_rollout_ref.model.path={path}",
                "actor_rollout_ref.rollout.name=vllm",
                "algorithm.adv_estimator=grpo",
                "algorithm.rollout_correction.bypass_mode=true",
            ],
        )
    # Its `init` would start workers, which need GPUs.
    trainer = get_trainer_cls("sync")(config)
    trainer._get_n_gpus_for_throughput = lambda: 1
    return trainer
