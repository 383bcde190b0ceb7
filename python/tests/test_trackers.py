"""Metrics in wandb, trackio and TensorBoard, by the packages themselves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from rolltape.trackers import follow, open_tracker
from support import REPOSITORY

STEPS = [{"reward/mean": 0.25, "loss": 1.5}, {"reward/mean": 0.75, "loss": 0.5}]


class Recorded:
    def __init__(self) -> None:
        self.steps: list[tuple[int, dict[str, float]]] = []

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        self.steps.append((step, dict(metrics)))

    def close(self) -> None:
        pass


def write_metrics(path: Path) -> None:
    lines = [{"step": step, "version": step, "time": 1.7e9, **metrics} for step, metrics in enumerate(STEPS)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_metrics_file_is_read_to_its_end_and_further_while_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write_metrics(path)
    tracker = Recorded()
    further = ['{"step": 2, "lo', 'ss": 0.25}\n']

    def wait() -> bool:
        if not further:
            return False
        with open(path, "a") as file:
            file.write(further.pop(0))
        return True

    follow(path, [tracker], wait=wait)
    expected = [(step, {"version": step, **metrics}) for step, metrics in enumerate(STEPS)]
    assert tracker.steps == [*expected, (2, {"loss": 0.25})]


def test_tensorboard_reads_what_was_logged(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is optional")
    readers = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator", reason="optional")
    tracker = open_tracker("tensorboard", directory=tmp_path, name="run")
    for step, metrics in enumerate(STEPS):
        tracker.log(step, metrics)
    tracker.close()
    events = readers.EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    assert [(each.step, each.value) for each in events.Scalars("reward/mean")] == [(0, 0.25), (1, 0.75)]


@pytest.mark.parametrize("kind", ["wandb", "trackio"])
def test_the_program_logs_a_file(kind: str, tmp_path: Path) -> None:
    pytest.importorskip(kind, reason=f"{kind} is optional")
    write_metrics(tmp_path / "metrics.jsonl")
    words = [sys.executable, "-m", "rolltape.trackers", "metrics.jsonl", "--to", kind, "--project", "p", "--name", "r"]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
        "PYTHONPATH": str(REPOSITORY / "python" / "src"),
        "WANDB_MODE": "offline",
        "TRACKIO_DIR": str(tmp_path / "trackio"),
        "HF_HUB_OFFLINE": "1",
    }
    result = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr[-3000:]
    found = [path for path in tmp_path.rglob("*") if path.suffix in (".wandb", ".db") and path.stat().st_size > 0]
    assert found, sorted(map(str, tmp_path.rglob("*")))
    assert any(b"reward/mean" in path.read_bytes() for path in found) or kind == "trackio"


def test_what_is_missing_or_unknown_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match="pip install wandb"):
        open_tracker("wandb")
    with pytest.raises(ValueError, match="must be wandb, trackio or tensorboard; received 'mlflow'"):
        open_tracker("mlflow")
