"""The loop of docs/guides/training.md, run as a program. Needs transformers and torch."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import COMMAND, REPOSITORY

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

STEPS = 6


def test_the_loop_of_the_guide_learns_with_its_own_weights(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "guides" / "training.md").read_text()
    (program,) = (each for each in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "async def main" in each)
    (tmp_path / "rolltape").symlink_to(COMMAND)
    result = subprocess.run(
        [sys.executable, "-c", program.replace("range(1, 21)", f"range(1, {STEPS + 1})")],
        cwd=tmp_path,
        env={
            **os.environ,
            "ROLLTAPE_CACHE_DIR": str(tmp_path / "cache"),
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY / "python" / "src"),
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    steps = re.findall(r"^step (\d+): reward ([\d.]+), ratio at most ([\d.]+) from 1$", result.stdout, re.MULTILINE)
    assert [int(number) for number, _, _ in steps] == list(range(1, STEPS + 1)), result.stdout
    rewards = [float(reward) for _, reward, _ in steps]
    assert rewards[-1] > rewards[0]
    # Without the new weights, ratios of single tokens are about 10 from the second step on. Their mean would stay near 1.
    assert all(float(distance) < 0.02 for _, _, distance in steps)
    assert len(list((tmp_path / "weights").iterdir())) == STEPS
