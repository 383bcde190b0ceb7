"""The trainers of TRL, over a real server with the embedded engine. Needs TRL, transformers and torch."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolltape import Client, Server, engine_bridge, serve
from rolltape.trl import rollout_worker
from support import COMMAND, REPOSITORY, chat
from trl_support import letter_agent, run_async_grpo_on_cpu

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")
pytest.importorskip("trl", "1.13", reason="TRL 1.13 is not installed")
pytest.importorskip("trl.experimental.async_grpo", reason="this version of TRL has no AsyncGRPOTrainer")
datasets = pytest.importorskip("datasets", reason="datasets is not installed")

from rolltape.trl import (  # noqa: E402
    RolloutWorker,
    WeightTransfer,
    make_rollout_func,
    rollout_reward,
    weight_sync_callback,
)

# The engine's KV cache is float16; PyTorch computes in float32.
PRECISION = 3e-3
# The line of a program that prints the rewards of all its steps.
REWARDS = r"rewards: \[(.*)\]"


@pytest.fixture
def trainable(tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A server of its own, because its weights change, and the folder of its model."""
    settings = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
    with serve(settings, command=COMMAND, env={"ROLLTAPE_CACHE_DIR": str(tmp_path)}) as server:
        yield server, tmp_path / server.ready["model"]


def watch_losses(trainer: Any) -> list[tuple[Any, Any, Any]]:
    """Notes of each trained token the log probability that TRL computes, the recorded one, and the advantage."""
    seen: list[tuple[Any, Any, Any]] = []
    outputs: list[Any] = []
    compute = trainer.compute_loss

    def compute_loss(model: Any, inputs: Any, **given: Any) -> Any:
        loss = compute(model, inputs, **given)
        new = outputs.pop()["log_probs"].detach()
        if "token_index" in inputs:
            new, trained, given_for = new.flatten()[inputs["token_index"]], inputs["token_index"] >= 0, slice(None)
        else:
            trained, given_for = inputs["completion_mask"][:, 1:] == 1, slice(1, None)
        old, advantages = (inputs[name][:, given_for] for name in ("old_log_probs", "advantages"))
        seen.append((new[trained], old[trained], advantages[trained]))
        return loss

    trainer.model.register_forward_hook(lambda module, args, output: outputs.append(output))
    trainer.compute_loss = compute_loss
    return seen


def engine_difference(server: Server, model: Any, folder: Path) -> float:
    """Returns how far the engine's log probabilities are from the model's, at most, over a sampled answer."""
    plain = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    plain.load_state_dict(model.state_dict())
    plain.eval()
    with Client(server.url, server.admin_key) as client:
        client.grant_capacity()
        with client.session("check") as session:
            chat(session, "Say something", max_tokens=64, temperature=1.0)
        batch = client.export_batch([session.session_id])
    ids = torch.from_numpy(batch["input_ids"].copy()).long()
    with torch.no_grad():
        logits = plain(ids).logits[:, :-1].float()
    new = logits.log_softmax(-1).gather(-1, ids[:, 1:, None])[..., 0].numpy()
    trained = batch["loss_mask"][:, 1:] == 1
    assert trained.sum() > 0
    return float(abs(new - batch["logprobs"][:, 1:])[trained].max())


def test_a_sample_has_the_fields_of_trls() -> None:
    module = pytest.importorskip("trl.experimental.async_grpo.async_rollout_worker")
    ours, trls = (dataclasses.fields(each.RolloutSample) for each in (rollout_worker, module))
    assert [field.name for field in ours] == [field.name for field in trls]


def test_async_grpo_trains_an_agent(
    trainable: tuple[Server, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer

    run_async_grpo_on_cpu(monkeypatch.setattr)
    server, folder = trainable
    steps = 4
    tasks = [f"number {number}" for number in range(64)]
    returned: dict[str, list[float]] = {}

    async def agent(task: str, session: Any) -> float:
        reward = await letter_agent(task, session)
        returned.setdefault(task, []).append(reward)
        return reward

    worker = RolloutWorker(
        server.url, server.admin_key, agent, tasks, n=4, groups=2, queue_size=16, drop_zero_variance=True
    )
    samples: list[Any] = []
    get = worker.rollout_buffer.get
    worker.rollout_buffer.get = lambda **given: samples.append(get(**given)) or samples[-1]  # type: ignore[method-assign]
    weights = tmp_path / "weights"
    transfer = WeightTransfer(server.url, server.admin_key, weights, base=folder)
    trainer = AsyncGRPOTrainer(
        model=str(folder),
        args=AsyncGRPOConfig(
            str(tmp_path / "out"),
            max_steps=steps,
            per_device_train_batch_size=8,
            gradient_accumulation_steps=1,
            learning_rate=3e-3,
            max_staleness=4,
            token_budget=0,
            use_cpu=True,
            bf16=False,
            report_to=[],
            save_strategy="no",
        ),
        train_dataset=datasets.Dataset.from_dict({"prompt": tasks}),
        rollout_worker=worker,
        weight_transfer=transfer,
    )
    before = {name: value.clone() for name, value in trainer.model.state_dict().items()}
    losses = watch_losses(trainer)
    trainer.train()

    # On the first step, TRL computes the recorded log probability of every trained token.
    new, old, advantages = losses[0]
    assert len(new) == sum(sample.completion_mask.sum() for sample in samples[:8]) > 0
    assert (new - old).abs().max() < PRECISION
    # It trains on the advantages by hand: of an episode among those of its group.
    for sample in samples:
        rewards = np.array(returned[tasks[sample.group_id]])
        assert abs(rewards - sample.metrics["reward"]).min() < 1e-6
        by_hand = (sample.metrics["reward"] - rewards.mean()) / (rewards.std() + 1e-6)
        assert sample.advantage == pytest.approx(by_hand, abs=1e-5)
    expected = [
        (float(logprob), sample.advantage)
        for sample in samples[:8]
        for logprob in sample.old_log_probs[sample.completion_mask == 1]
    ]
    np.testing.assert_allclose(sorted(zip(old.tolist(), advantages.tolist(), strict=True)), sorted(expected), atol=1e-5)

    logs = [entry for entry in trainer.state.log_history if "ratio" in entry]
    assert len(logs) == steps
    assert abs(logs[0]["ratio"] - 1) < PRECISION
    assert logs[0]["sample/staleness_max"] == 0
    assert all(entry["batch/samples_per_step"] == 8 for entry in logs)
    assert all(math.isfinite(entry["reward"]) for entry in logs)
    assert sum(entry.get("rollout/episodes_total", 0) for entry in logs) >= steps * 8
    # The first update, and one after each step.
    with Client(server.url, server.admin_key) as client:
        assert client.weights()["version"] == steps + 1 == transfer.version
        assert list(client.sessions("active")) == []
        assert list(client.sessions("ended")) == []
    assert sorted(path.name[:14] for path in weights.iterdir()) == ["version-000004", "version-000005"]
    # The engine has the weights that the trainer has now, and they are other ones than before.
    after = trainer.model.state_dict()
    assert any(not torch.equal(value, after[name]) for name, value in before.items())
    assert engine_difference(server, trainer.model, folder) < PRECISION
    trainer.model.load_state_dict(before)
    assert engine_difference(server, trainer.model, folder) > 10 * PRECISION


def recorded_difference(trainer: Any, rows: dict[str, Any]) -> float:
    """Returns how far the recorded log probabilities are from those that GRPOTrainer's own function computes, at most."""
    ids = torch.cat([rows["prompt_ids"], rows["completion_ids"]], dim=1)
    mask = torch.cat([rows["prompt_mask"], rows["completion_mask"]], dim=1)
    with torch.no_grad():
        new, *_ = trainer._get_per_token_logps_and_entropies(
            trainer.model, ids, mask, logits_to_keep=rows["completion_ids"].shape[1]
        )
    trained = rows["completion_mask"] * rows.get("tool_mask", 1) == 1
    assert trained.sum() > 0
    return float((new - rows["sampling_per_token_logps"])[trained].abs().max())


def watch_rollouts(trainer: Any) -> list[tuple[dict[str, Any], float]]:
    """Notes what GRPOTrainer trains on in each step, and the difference above."""
    seen: list[tuple[dict[str, Any], float]] = []
    generate = trainer._generate_and_score_completions

    def generate_and_note(inputs: Any) -> Any:
        rows = generate(inputs)
        seen.append((rows, recorded_difference(trainer, rows)))
        return rows

    trainer._generate_and_score_completions = generate_and_note
    return seen


def grpo_of_two_steps(folder: Path, learning_rate: float) -> dict[str, Any]:
    """Arguments of TRL's GRPOTrainer: eight prompts, in groups of four."""
    from trl import GRPOConfig

    config = GRPOConfig(
        str(folder / "out"),
        max_steps=2,
        per_device_train_batch_size=8,
        num_generations=4,
        learning_rate=learning_rate,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
    )
    prompts = [f"number {number}" for number in range(8)]
    return {"args": config, "train_dataset": datasets.Dataset.from_dict({"prompt": prompts})}


def test_grpo_trains_with_a_rollout_function(trainable: tuple[Server, Path], tmp_path: Path) -> None:
    from trl import GRPOTrainer

    server, folder = trainable
    transfer = WeightTransfer(server.url, server.admin_key, tmp_path / "weights", base=folder)
    seen: list[float] = []
    trainer_rewards: list[float] = []

    async def agent(task: Any, session: Any) -> float:
        reward = await letter_agent(task, session)
        seen.append(reward)
        return reward

    def reward(*given: Any, **fields: Any) -> list[float]:
        rewards = rollout_reward(*given, **fields)
        trainer_rewards.extend(rewards)
        return rewards

    trainer = GRPOTrainer(
        model=str(folder),
        reward_funcs=reward,
        **grpo_of_two_steps(tmp_path, learning_rate=3e-3),
        # The random model sometimes writes what is not text, which its next prompt cannot continue.
        rollout_func=make_rollout_func(server.url, server.admin_key, agent, several_rows="longest"),
        callbacks=[weight_sync_callback(transfer)],
    )
    scored = watch_rollouts(trainer)
    trainer.train()

    # The log probabilities that TRL computes with its own function are the recorded ones.
    assert all(difference < PRECISION for _, difference in scored)
    logs = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logs) == 2
    assert len(seen) == 16
    assert logs[0]["reward"] == pytest.approx(sum(seen[:8]) / 8, abs=1e-5)
    rewards = torch.tensor(trainer_rewards[:8]).view(-1, 4)
    by_hand = (rewards - rewards.mean(1, keepdim=True)) / (rewards.std(1, keepdim=True) + 1e-4)
    assert scored[0][0]["advantages"].tolist() == pytest.approx(by_hand.flatten().tolist(), abs=1e-5)
    with Client(server.url, server.admin_key) as client:
        assert client.weights()["version"] == 3
        assert list(client.sessions("active")) == []
    assert engine_difference(server, trainer.model, folder) < PRECISION


@pytest.mark.parametrize("adapter", [False, True])
def test_the_model_that_is_trained_generates(trainable: tuple[Server, Path], tmp_path: Path, adapter: bool) -> None:
    from trl import GRPOTrainer

    from rolltape.bridge.in_process import TransformersEngine

    config = None
    if adapter:
        peft = pytest.importorskip("peft", reason="peft is not installed")
        config = peft.LoraConfig(r=4, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    path = str(trainable[1])
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    versions: list[int] = []

    def version() -> int:
        versions.append(trainer.state.global_step)
        return versions[-1]

    engine = TransformersEngine(model, tokenizer, version=version)
    with engine_bridge(engine, context_length=4096) as bridge:
        settings = {"engine.type": "sglang", "engine.urls": bridge.url, "model.path": path}
        quiet = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
        with serve({**settings, **quiet}, command=COMMAND) as proxy:
            run_episodes = make_rollout_func(proxy.url, proxy.admin_key, letter_agent, several_rows="longest")

            def rollout_func(prompts: list[Any], trainer: Any) -> dict[str, Any]:
                with engine:
                    return run_episodes(prompts, trainer)

            trainer = GRPOTrainer(
                model=model,
                reward_funcs=rollout_reward,
                **grpo_of_two_steps(tmp_path, learning_rate=3e-2 if adapter else 3e-3),
                peft_config=config,
                rollout_func=rollout_func,
            )
            before = {name: value.clone() for name, value in trainer.model.named_parameters()}
            seen = watch_rollouts(trainer)
            trainer.train()
    # The second step's rows are those of the new weights.
    assert any(not torch.equal(value, before[name]) for name, value in trainer.model.named_parameters())
    assert [difference < 1e-5 for _, difference in seen] == [True, True], seen
    assert sorted(set(versions)) == [0, 1]


SLOW = pytest.mark.skipif(os.environ.get("ROLLTAPE_TRAINER") != "trl", reason="runs in `npm run test:trainers -- trl`")


@pytest.mark.parametrize(
    ("number", "steps", "line"),
    [
        (0, 6, REWARDS),
        pytest.param(1, 5, REWARDS, marks=SLOW),
        pytest.param(2, 10, r"reward (0\.\d+), ratio ([\d.]+)", marks=SLOW),
    ],
)
def test_the_programs_of_the_guide_learn(tmp_path: Path, number: int, steps: int, line: str) -> None:
    page = (REPOSITORY / "docs" / "guides" / "trl.md").read_text()
    program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number].replace("max_steps=40", f"max_steps={steps}")
    if number == 2:
        program = "import trl_support\n\ntrl_support.run_async_grpo_on_cpu()\n" + program
    (tmp_path / "rolltape").symlink_to(COMMAND)
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("ROLLTAPE_CACHE_DIR", "XDG_CACHE_HOME")
            },
            "HOME": str(tmp_path),
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "PYTHONPATH": f"{REPOSITORY}/python/src:{REPOSITORY}/python/tests",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    found = re.findall(line, result.stdout)
    rewards = [float(each) for each in found[0].split(", ")] if line == REWARDS else [float(each) for each, _ in found]
    assert len(rewards) == steps, result.stdout
    assert sum(rewards[-3:]) / 3 > rewards[0] + 0.03
    if number == 2:
        assert abs(float(found[0][1]) - 1) < PRECISION
