"""examples/train/gradients.py, run as a program. Needs torch and transformers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support import COMMAND, REPOSITORY

pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")


def test_layouts_and_shards_have_one_gradient_and_advantages_are_those_by_hand() -> None:
    program = REPOSITORY / "examples" / "train" / "gradients.py"
    result = subprocess.run(
        [sys.executable, str(program), "--rolltape", str(COMMAND)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python" / "src")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]
    assert result.stdout.count("trained tokens, gradient") == 6
    assert result.stdout.count("from those by hand") == 2
