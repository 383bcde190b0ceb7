"""What a newcomer runs: the README's agent, the commands of the first hour, and the notebook."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import COMMAND, REPOSITORY

for module in ("torch", "transformers", "openai"):
    pytest.importorskip(module, reason=f"{module} is optional (pip install {module})")


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """As after `pip install "rolltape[embedded]"`: `rolltape` and `python` are on the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "rolltape").symlink_to(COMMAND)
    # A link would not find the packages of its environment.
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python").chmod(0o755)
    variables = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY / "python" / "src"),
        "ROLLTAPE_CACHE_DIR": str(tmp_path / "cache"),
        # As the script of the package does, so that agents run in its environment.
        "VIRTUAL_ENV": sys.prefix,
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return {**os.environ, **variables}


def run(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    result = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=580)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_agent_of_the_readme_gets_a_batch_as_tensors(tmp_path: Path, environment: dict[str, str]) -> None:
    (program,) = re.findall(r"```py\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    output = run(["python", "-c", program], tmp_path, environment)
    assert re.match(r"torch\.Size\(\[\d+\]\) tensor\(\[", output)
    assert output.count("tensor([") == 1


def test_the_commands_of_the_first_hour_run_in_one_go(tmp_path: Path, environment: dict[str, str]) -> None:
    commands = (REPOSITORY / "examples" / "first-hour.sh").read_text()
    # The packages are those of this checkout.
    output = run(["bash", "-euc", f'pip() {{ echo "pip $*"; }}\n{commands}'], tmp_path, environment)
    assert "pip install rolltape[embedded]" in output
    assert re.search(r"^rows +\d+$", output, re.MULTILINE)
    assert "input_ids (" in output
    assert "8 accepted, 0 rejected" in output
    assert [int(step) for step in re.findall(r"^step (\d): reward", output, re.MULTILINE)] == [0, 1, 2]
    assert len(re.findall(r'^\{"step": \d, ', output, re.MULTILINE)) == 3
    assert (tmp_path / "out" / "mine.html").stat().st_size > 100_000


def test_the_notebook_runs_to_its_end(tmp_path: Path, environment: dict[str, str]) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbclient is optional (pip install nbclient ipykernel)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is optional (pip install nbclient ipykernel)")
    pytest.importorskip("ipykernel", reason="ipykernel is optional (pip install nbclient ipykernel)")
    pytest.importorskip("pandas", reason="pandas is optional (pip install pandas)")
    notebook = nbformat.read(REPOSITORY / "examples" / "batch.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    pages = [output["data"]["text/html"] for output in outputs if "text/html" in output.get("data", {})]
    assert len(pages) == 2
    assert pages[1].startswith("<iframe sandbox=")
