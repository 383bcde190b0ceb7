"""SkyRL's own trainer with agents of Rolltape: what its methods make of the rows."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("skyrl")
import torch
from skyrl.backends.skyrl_train.utils.ppo_utils import apply_loss_reduction_to_advantages_minibatch, ppo_policy_loss
from skyrl.backends.skyrl_train.utils.routed_experts import ROUTED_EXPERT_DTYPES
from skyrl.backends.skyrl_train.utils.sample_support import SAMPLE_SUPPORT_DTYPES, validate_sample_support
from skyrl.train.config.config import SkyRLTrainConfig
from skyrl.train.generators.base import BatchMetadata, TrajectoryID
from skyrl.train.trainer import RayPPOTrainer
from skyrl.train.utils.trainer_utils import _validate_per_token_side_channels
from transformers import AutoProcessor

from image_batches import image_batch
from rolltape import AsyncSession, Batch, Client, Sample, Server, attention, vision
from rolltape.skyrl import RolltapeGenerator, _expert_indices, _failed_prompt, _images, _sample_support
from sums import serve
from support import ended_session
from tiny_vision import BLUE, IMAGE_TOKEN, RED, write_vision_model
from token_channels import experts_of, masks_of, with_experts, with_masks
from torch_engine import TorchEngine
from two_turns import two_turns

SAMPLING = {"temperature": 0.8, "top_p": 1.0, "top_k": -1, "min_p": 0.0, "max_tokens": 6, "logprobs": 1}


async def agent(task: dict[str, Any], session: AsyncSession) -> float:
    """Some prompts have a side call, or fail. The reward depends on what was said."""
    messages = [dict(message) for message in task["prompt"]]
    kind = messages[0]["content"]
    fails = kind == "bad" and task["number"] == 0
    said = await two_turns(session, messages, branches=kind == "tree", fails=fails)
    return sum(letter in "aeiou" for letter in said) / 10 + len(said) / 1000


def trainer_of(generator: RolltapeGenerator, prompts: int, step_wise: bool, merge: bool = False) -> RayPPOTrainer:
    trainer = object.__new__(RayPPOTrainer)
    trainer.cfg = SkyRLTrainConfig()
    trainer.cfg.generator.step_wise_trajectories = step_wise
    trainer.cfg.generator.merge_stepwise_output = merge
    trainer.cfg.generator.n_samples_per_prompt = 2
    trainer.cfg.trainer.train_batch_size = trainer.cfg.trainer.policy_mini_batch_size = prompts
    trainer.cfg.trainer.critic.model.path = None
    trainer.generator, trainer.all_metrics = generator, {}
    trainer.tokenizer = SimpleNamespace(pad_token_id=0)
    # The constructor starts workers with Ray.
    trainer.dispatch = SimpleNamespace(get_lcm_dp_size=lambda: 1)
    return trainer


def input_of(kinds: list[str], phase: str = "train") -> Any:
    twice = [kind for kind in kinds for _ in range(2)]
    return {
        "prompts": [[{"role": "user", "content": kind}] for kind in twice],
        "env_classes": ["none"] * len(twice),
        "env_extras": [{"number": at % 2} for at in range(len(twice))],
        "sampling_params": SAMPLING,
        "trajectory_ids": [TrajectoryID(kind, at % 2) for at, kind in enumerate(twice)],
        "batch_metadata": BatchMetadata(global_step=4, training_phase=phase),
    }


def train(trainer: RayPPOTrainer, batch: Any) -> Any:
    """The steps of SkyRL's training loop between generation and the loss."""
    output = asyncio.run(trainer.generate(batch))
    uids = [each.instance_id for each in output["trajectory_ids"]]
    output, uids = trainer.postprocess_generator_output(output, uids)
    data = trainer.convert_to_training_input(output, uids)
    data["values"] = None
    return trainer.compute_advantages_and_returns(data)


def recomputed(model: Any, data: Any) -> torch.Tensor:
    """The log probabilities of a float32 actor."""
    width = data["loss_mask"].shape[1]
    positions = (data["attention_mask"].long().cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        logits = model(data["sequences"], attention_mask=data["attention_mask"], position_ids=positions).logits / 0.8
    scores = torch.log_softmax(logits.float(), -1)[:, -width - 1 : -1]
    return scores.gather(-1, data["sequences"][:, -width:, None])[..., 0]


def apart(model: Any, data: Any) -> float:
    """How far recorded log probabilities are from those of a float32 actor."""
    return float(((recomputed(model, data) - data["rollout_logprobs"]).abs() * data["loss_mask"]).max())


@pytest.fixture(scope="module")
def engine(server: Server) -> TorchEngine:
    return TorchEngine(str(server.ready["model_path"]), version=0)


@pytest.fixture(scope="module")
def model(engine: TorchEngine) -> Any:
    return engine.model


@pytest.fixture(scope="module")
def proxy(engine: TorchEngine, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(engine, str(server.ready["model_path"]), tmp_path_factory.mktemp("proxy")) as running:
        yield running


def generator_of(server: Server, **options: Any) -> RolltapeGenerator:
    return RolltapeGenerator(agent, url=server.url, admin_key=server.admin_key, **options)


def by_hand(scores: list[float]) -> list[float]:
    pair = torch.tensor(scores)
    return ((pair - pair.mean()) / (pair.std() + 1e-6)).tolist()


def test_an_episode_is_one_row_with_the_advantage_of_its_reward(proxy: Server, model: Any) -> None:
    trainer = trainer_of(generator_of(proxy), 3, step_wise=False)
    data = train(trainer, input_of(["one", "tree", "bad"]))
    assert len(data["sequences"]) == 6
    scores = data["rewards"].sum(-1).tolist()
    assert scores[4] == 0.0
    assert data["loss_mask"].sum(-1).tolist()[4] == 0
    assert (data["loss_mask"].sum(-1)[[0, 1, 2, 3, 5]] > 0).all()
    expected = [value for at in (0, 2, 4) for value in by_hand(scores[at : at + 2])]
    assert (data["advantages"] * data["loss_mask"]).sum(-1).tolist() == pytest.approx(
        [value * count for value, count in zip(expected, data["loss_mask"].sum(-1).tolist(), strict=True)], abs=1e-4
    )
    assert apart(model, data) < 1e-5
    assert trainer.all_metrics["rolltape/failed_episodes"] == 1


def test_the_loss_is_that_of_the_recorded_log_probabilities(proxy: Server, model: Any) -> None:
    trainer = trainer_of(generator_of(proxy), 3, step_wise=False)
    data = train(trainer, input_of(["one", "tree", "bad"]))
    mask, new = data["loss_mask"], recomputed(model, data)
    scaled = apply_loss_reduction_to_advantages_minibatch(
        data["advantages"], mask, "token_mean", micro_batch_size=1, max_seq_len=mask.shape[1]
    )
    config = trainer.cfg.trainer.algorithm
    loss, metrics = ppo_policy_loss(new, data["rollout_logprobs"], scaled, config, mask, data["rollout_logprobs"])
    ratios = (new - data["rollout_logprobs"]).exp()
    by_hand = -(ratios * data["advantages"] * mask).sum() / mask.sum()
    assert float(loss) == pytest.approx(float(by_hand), abs=1e-6)
    assert metrics["clip_ratio"] == 0


@pytest.mark.parametrize("merge", [False, True])
def test_step_wise_rows_have_the_advantage_of_their_trajectory(proxy: Server, model: Any, merge: bool) -> None:
    trainer = trainer_of(generator_of(proxy, step_wise=True), 2, step_wise=True, merge=merge)
    data = train(trainer, input_of(["one", "tree"]))
    uids, last = data.metadata["uids"], data.metadata["is_last_step"]
    if not merge:
        assert [uids.count("one"), uids.count("tree")] == [4, 6]
    assert sum(last) == 4
    scores = [float(row.sum()) for row, is_last in zip(data["rewards"], last, strict=True) if is_last]
    expected = [*by_hand(scores[:2]), *by_hand(scores[2:])]
    trajectory = 0
    for row, mask, is_last in zip(data["advantages"], data["loss_mask"].bool(), last, strict=True):
        assert row[mask].tolist() == pytest.approx([expected[trajectory]] * int(mask.sum()), abs=1e-5)
        trajectory += is_last
    assert apart(model, data) < 1e-5


def test_an_evaluation_starts_evaluation_sessions_and_a_batch_its_version(client: Client, server: Server) -> None:
    generator = generator_of(server, version=lambda: 5)
    try:
        asyncio.run(generator.generate(input_of(["one"], "eval")))
        assert client.weights()["version"] == 5
        records = [record for record in client.sessions() if record["group_id"] == "step-4-one"]
        assert {record["split"] for record in records} >= {"eval"}
    finally:
        client.set_version(0)


def rows_with(server: Server, step_wise: bool, add: Callable[[Batch], Batch]) -> list[Sample]:
    """Returns the rows of a session after `add` has given its batch a channel."""
    with Client(server.url, server.admin_key) as client:
        batch = client.export_batch(
            [ended_session(client)], layout="packed", style="individual" if step_wise else "concat"
        )
    return add(batch).samples()


def require_accepted(rows: list[Sample], step_wise: bool, **values: Any) -> None:
    """Lets SkyRL check values per token of these rows and of a failed episode."""
    output: Any = {
        "prompt_token_ids": [*(row.prompt_ids.tolist() for row in rows), [0]],
        "response_ids": [*(row.response_ids.tolist() for row in rows), [0]],
        "loss_masks": [*(row.response_mask.tolist() for row in rows), [0]],
        **values,
    }
    _validate_per_token_side_channels(output, step_wise)


@pytest.mark.parametrize("step_wise", [False, True])
def test_skyrl_takes_the_experts_of_each_token(server: Server, step_wise: bool) -> None:
    rows = rows_with(server, step_wise, with_experts)
    experts = _expert_indices([*rows, None])
    assert experts is not None
    require_accepted(rows, step_wise, rollout_expert_indices=experts)
    for row, own in zip(rows, experts, strict=False):
        assert own.dtype in ROUTED_EXPERT_DTYPES
        assert own.tolist() == experts_of([*row.prompt_ids.tolist(), *row.response_ids.tolist()][:-1])
    assert _expert_indices([None]) is None


@pytest.mark.parametrize("step_wise", [False, True])
def test_skyrl_takes_the_sampling_masks_of_the_response(server: Server, step_wise: bool) -> None:
    rows = rows_with(server, step_wise, with_masks)
    support = _sample_support([*rows, None])
    assert support is not None
    require_accepted(rows, step_wise, rollout_sample_support=support)
    for row, own in zip(rows, support, strict=False):
        assert own.dtype in SAMPLE_SUPPORT_DTYPES
        kept = [[token for token in ids if token >= 0] for ids in validate_sample_support(own).tolist()]
        assert kept == masks_of(row)
    assert _sample_support([None]) is None


@pytest.fixture
def model_wrapper(monkeypatch: pytest.MonkeyPatch) -> Any:
    """SkyRL's actor. Its module imports flash-attn, which needs a GPU, for rows without padding."""
    padding: Any = ModuleType("flash_attn.bert_padding")
    padding.pad_input = padding.unpad_input = None
    monkeypatch.setitem(sys.modules, "flash_attn", ModuleType("flash_attn"))
    monkeypatch.setitem(sys.modules, padding.__name__, padding)
    return import_module("skyrl.backends.skyrl_train.workers.model_wrapper").HFModelWrapper


def test_skyrl_computes_the_log_probabilities_of_rows_with_images(
    server: Server, tmp_path: Path, model_wrapper: Any
) -> None:
    folder = write_vision_model(str(server.ready["model_path"]), tmp_path / "model")
    processor = AutoProcessor.from_pretrained(folder)
    options = {"layout": "packed", "style": "concat", "onMismatch": "split", "turns": True}
    batch = image_batch(tmp_path, RED, BLUE, branches=True, pad=IMAGE_TOKEN, **options)
    rows: list[Any] = [*batch.samples(), None]
    count = len(rows)
    output = {
        "prompt_token_ids": [_failed_prompt(rows) if row is None else row.prompt_ids.tolist() for row in rows],
        "response_ids": [[0] if row is None else row.response_ids.tolist() for row in rows],
        "loss_masks": [[0] if row is None else row.response_mask.tolist() for row in rows],
        "rollout_logprobs": [[0.0] if row is None else row.response_logprobs.tolist() for row in rows],
        "rewards": [[0.0] if row is None else [0.0] * len(row.response_ids) for row in rows],
        **_images(rows, processor),
    }
    trainer = trainer_of(generator_of(server), count, step_wise=False)
    trainer.cfg.generator.n_samples_per_prompt = 1
    data = trainer.convert_to_training_input(output, [str(row) for row in range(count)])
    wrapper = model_wrapper(folder, bf16=False)
    width = data["loss_mask"].shape[1]
    images = {name: data[name] for name in ("pixel_values", "image_grid_thw")}
    new = wrapper(data["sequences"], width, data["attention_mask"], **images)

    ours = attention.model_arguments(batch) | vision.inputs(batch, processor)
    with torch.no_grad():
        expected = attention.token_logprobs(wrapper.model(**ours).logits, batch)
    found = new[:-1][data["loss_mask"][:-1] == 1]
    torch.testing.assert_close(found, expected[torch.from_numpy(batch["loss_mask"]) == 1], rtol=1e-4, atol=1e-5)
    # A micro-batch of the failed episode alone.
    failed = {name: tensors[count - 1 :] for name, tensors in images.items()}
    alone = wrapper(data["sequences"][-1:], width, data["attention_mask"][-1:], **failed)
    torch.testing.assert_close(alone, new[-1:], rtol=1e-4, atol=1e-5)
    found.sum().backward()
    assert all(block.attn.qkv.weight.grad.abs().max() > 0 for block in wrapper.model.model.visual.blocks)


def test_rows_without_images_have_no_tensors_of_them(tmp_path: Path) -> None:
    samples = list(image_batch(tmp_path, RED, BLUE, layout="packed").select([3]).samples())
    assert _images([*samples, None], None) == {}
    assert _failed_prompt([*samples, None]) == [0]


def test_an_episode_with_images_needs_the_processor(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    processor = AutoProcessor.from_pretrained(write_vision_model(str(server.ready["model_path"]), tmp_path / "model"))
    samples = image_batch(tmp_path, RED, BLUE, layout="packed", style="concat", turns=True).samples()
    kinds = iter(["image", "text"] * 2)

    async def rows(*_: Any, **__: Any) -> list[Sample]:
        return [samples[0] if next(kinds) == "image" else samples[2]]

    monkeypatch.setattr("rolltape.skyrl.episode_rows", rows)
    seen: Any = asyncio.run(generator_of(server, processor=processor).generate(input_of(["one"])))
    assert [len(pixels) for pixels in seen["pixel_values"]] == [16 + 24, 0]
    assert [grids.tolist() for grids in seen["image_grid_thw"]] == [[[1, 4, 4], [1, 4, 6]], []]
    blind: Any = asyncio.run(generator_of(server).generate(input_of(["one"])))
    assert "pixel_values" not in blind
    assert blind["stop_reasons"] == ["error", "stop"]
