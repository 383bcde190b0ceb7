"""The trainers of TRL, over a real server with the embedded engine. Needs TRL, transformers and torch."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rolltape import Client, Server, serve
from support import COMMAND, REPOSITORY, chat
from trl_support import letter_agent

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


@pytest.fixture
def trainable(tmp_path: Path) -> Iterator[tuple[Server, Path]]:
    """A server of its own, because its weights change, and the folder of its model."""
    settings = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
    with serve(settings, command=COMMAND, env={"ROLLTAPE_CACHE_DIR": str(tmp_path)}) as server:
        yield server, tmp_path / server.ready["model"]


@pytest.fixture
def cpu_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """AsyncGRPOTrainer asks for FlashAttention 3, which needs a GPU. PyTorch's own attention also keeps packed rows apart."""
    from trl.experimental.async_grpo import async_grpo_trainer as module

    create = module.create_model_from_path

    def create_on_cpu(model: str, **options: Any) -> Any:
        return create(model, **{**options, "attn_implementation": "sdpa"})

    monkeypatch.setattr(module, "create_model_from_path", create_on_cpu)


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


def test_async_grpo_trains_an_agent(trainable: tuple[Server, Path], cpu_attention: None, tmp_path: Path) -> None:
    from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer

    server, folder = trainable
    steps = 4
    tasks = [f"number {number}" for number in range(4)]
    worker = RolloutWorker(
        server.url, server.admin_key, letter_agent, tasks, n=4, groups=2, queue_size=16, drop_zero_variance=True
    )
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
    trainer.train()

    # Samples were consumed, and on the first step the recorded log probabilities are the trainer's.
    logs = [entry for entry in trainer.state.log_history if "ratio" in entry]
    assert len(logs) == steps
    assert abs(logs[0]["ratio"] - 1) < PRECISION
    # Unlike the mean ratio, this sum of squares (nearly) cannot cancel out.
    assert logs[0]["kl"] < PRECISION**2
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


def test_grpo_trains_with_a_rollout_function(trainable: tuple[Server, Path], tmp_path: Path) -> None:
    from trl import GRPOConfig, GRPOTrainer

    server, folder = trainable
    transfer = WeightTransfer(server.url, server.admin_key, tmp_path / "weights", base=folder)
    seen: list[float] = []

    async def agent(task: Any, session: Any) -> float:
        reward = await letter_agent(task, session)
        seen.append(reward)
        return reward

    trainer = GRPOTrainer(
        model=str(folder),
        reward_funcs=rollout_reward,
        args=GRPOConfig(
            str(tmp_path / "out"),
            max_steps=2,
            per_device_train_batch_size=8,
            num_generations=4,
            learning_rate=3e-3,
            use_cpu=True,
            bf16=False,
            report_to=[],
            save_strategy="no",
            logging_steps=1,
        ),
        train_dataset=datasets.Dataset.from_dict({"prompt": [f"number {number}" for number in range(8)]}),
        # The random model sometimes writes what is not text, which its next prompt cannot continue.
        rollout_func=make_rollout_func(server.url, server.admin_key, agent, several_rows="longest"),
        callbacks=[weight_sync_callback(transfer)],
    )
    trainer.train()

    logs = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logs) == 2
    assert len(seen) == 16
    assert logs[0]["reward"] == pytest.approx(sum(seen[:8]) / 8, abs=1e-5)
    with Client(server.url, server.admin_key) as client:
        assert client.weights()["version"] == 3
        assert list(client.sessions("active")) == []
    assert engine_difference(server, trainer.model, folder) < PRECISION


# Replaces FlashAttention 3, as `cpu_attention` does, in the process of a program.
ON_CPU = """
try:
    from trl.experimental.async_grpo import async_grpo_trainer as module
    create = module.create_model_from_path
    module.create_model_from_path = lambda model, **options: create(model, **{**options, "attn_implementation": "sdpa"})
except ImportError:
    pass
"""


@pytest.mark.parametrize(
    ("number", "printed"), [(0, r"rewards: \[0\.\d+, 0\.\d+, 0\.\d+\]"), (1, r"(reward 0\.\d+, ratio .*\n){3}")]
)
def test_the_programs_of_the_guide_run(tmp_path: Path, number: int, printed: str) -> None:
    page = (REPOSITORY / "docs" / "guides" / "trl.md").read_text()
    program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number].replace("max_steps=40", "max_steps=3")
    (tmp_path / "rolltape").symlink_to(COMMAND)
    result = subprocess.run(
        [sys.executable, "-c", ON_CPU + program],
        cwd=tmp_path,
        env={
            **{
                name: value
                for name, value in os.environ.items()
                if name not in ("ROLLTAPE_CACHE_DIR", "XDG_CACHE_HOME")
            },
            "HOME": str(tmp_path),
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY / "python" / "src"),
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    assert re.search(printed, result.stdout), result.stdout
    if number == 1:
        first = float(re.findall(r"ratio ([\d.]+)", result.stdout)[0])
        assert abs(first - 1) < PRECISION
