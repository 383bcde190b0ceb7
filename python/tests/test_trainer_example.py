"""examples/trainer.py: it learns, is stopped with Ctrl-C, and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rolltape import load_state
from support import COMMAND, REPOSITORY

for module in ("torch", "transformers", "openai"):
    pytest.importorskip(module, reason=f"{module} is optional (pip install {module})")


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    if not (bin_folder / "rolltape").exists():
        (bin_folder / "rolltape").symlink_to(COMMAND)
    variables = {
        **os.environ,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "python" / "src"),
        "ROLLTAPE_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, str(REPOSITORY / "examples" / "trainer.py"), "--directory", "run", *words]
    return subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def test_it_learns_and_goes_on_after_ctrl_c(tmp_path: Path) -> None:
    first = start(tmp_path, "--steps", "8")
    assert first.stdout is not None
    output = ""
    while "step 3" not in output:
        line = first.stdout.readline()
        assert line, output
        output += line
    first.send_signal(signal.SIGINT)
    output += first.communicate(timeout=120)[0]
    assert first.returncode == 0, output
    assert output.splitlines()[-1] == "Stopped. The same command goes on after the last step."
    ended = load_state(tmp_path / "run").step
    assert 3 <= ended < 8
    second = start(tmp_path, "--steps", "8")
    further = second.communicate(timeout=400)[0]
    assert second.returncode == 0, further
    steps = [int(number) for number in re.findall(r"^step (\d+) ", further, re.MULTILINE)]
    assert steps == list(range(ended, 8))
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(8))
    assert lines[-1]["reward/mean"] > lines[0]["reward/mean"]
    # Also after the restart, the engine had the weights of the trainer.
    assert all(line["ratio_distance"] < 0.02 for line in lines)
    assert "eval/reward_mean" in lines[4]
