"""The package as a whole."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import rolltape
import rolltape.weights


def test_importing_the_package_imports_nothing_that_must_be_installed() -> None:
    # -S: without site-packages.
    code = "import rolltape, sys; print(sorted({'httpx', 'numpy', 'torch'} & set(sys.modules)), dir(rolltape)[0])"
    source = str(Path(rolltape.__file__).parents[1])
    run = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": source}, capture_output=True, check=True
    )
    assert run.stdout == b"[] AsyncClient\n"


def test_every_public_name_can_be_imported() -> None:
    for name in rolltape.__all__:
        assert getattr(rolltape, name) is not None
    assert callable(rolltape.serve)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = rolltape.nothing


def test_the_functions_are_not_hidden_by_modules_of_their_name() -> None:
    modules = {path.stem for path in Path(rolltape.__file__).parent.iterdir()}
    assert not modules & {name for name in rolltape.__all__ if name not in ("advantages", "ratios", "trackers")}


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(rolltape.__file__).parent / "py.typed").exists()


def test_every_public_name_is_described() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "python.md").read_text()

    def is_described(name: str) -> bool:
        return f"`{name}" in text or f".{name}(" in text

    modules = [rolltape.advantages, rolltape.ratios, rolltape.weights]
    modules += [rolltape.attention, rolltape.data] if find_spec("torch") else []
    modules += [rolltape.tables] if find_spec("pyarrow") else []
    names = [*rolltape.__all__, *(name for module in modules for name in module.__all__)]
    for kind in (rolltape.Client, rolltape.Batch, rolltape.Session, rolltape.Sample, rolltape.Group, rolltape.Episode):
        names += [name for name in [*vars(kind), *getattr(kind, "__dataclass_fields__", {})] if name[0] != "_"]
    assert [name for name in names if not is_described(name)] == []
