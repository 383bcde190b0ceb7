"""What is said if TRL is missing or has another protocol. Runs without TRL."""

from __future__ import annotations

import sys
from dataclasses import make_dataclass
from types import ModuleType
from typing import Any

import pytest

from rolltape.trl import RolloutWorker
from rolltape.trl.sample_type import FIELDS, load_sample_type
from trl_support import StandInSample

MODULE = "trl.experimental.async_grpo.async_rollout_worker"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts modules in place of TRL's. None: the module cannot be imported."""

    def install(sample_type: Any) -> None:
        for name in [name for name in sys.modules if name == "trl" or name.startswith("trl.")]:
            monkeypatch.delitem(sys.modules, name)
        parts = MODULE.split(".")
        for end in range(1, len(parts) + 1):
            module = ModuleType(".".join(parts[:end]))
            module.__path__ = []  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, module.__name__, module)
        sys.modules["trl"].__version__ = "1.20.0"  # type: ignore[attr-defined]
        if sample_type is not None:
            sys.modules[MODULE].RolloutSample = sample_type  # type: ignore[attr-defined]

    return install


def test_missing_trl_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trl", None)
    with pytest.raises(ImportError, match=r"needs TRL 1\.13 .* pip install 'trl>=1\.13'"):
        RolloutWorker("http://127.0.0.1:1", "key", lambda task, session: None, ["a"])


def test_a_version_without_the_protocol_is_named(install: Any) -> None:
    install(None)
    with pytest.raises(ImportError, match=r"TRL 1\.20\.0 cannot load"):
        load_sample_type()


def test_a_version_with_another_sample_type_is_named(install: Any) -> None:
    install(make_dataclass("RolloutSample", [name for name in FIELDS if name != "advantage"] + ["pixels"]))
    with pytest.raises(ImportError, match=r"lacks \['advantage'\] and requires \['pixels'\]"):
        load_sample_type()


def test_the_sample_type_of_the_installed_version_is_returned(install: Any) -> None:
    install(StandInSample)
    assert load_sample_type() is StandInSample


def test_the_real_sample_type_has_the_fields_of_the_stand_in() -> None:
    pytest.importorskip("trl", "1.13", reason="TRL 1.13 is not installed")
    real = load_sample_type()
    assert set(real.__dataclass_fields__) == set(StandInSample.__dataclass_fields__)  # type: ignore[attr-defined]
