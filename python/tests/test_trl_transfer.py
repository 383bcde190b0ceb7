"""Weight transfers: which calls they make, and what they say if an update fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_weights_proxy import KEY, FakeWeightsProxy, fake_weights_proxy, record
from rolltape import RolltapeError, WeightsError
from rolltape.trl import ExternalWeightTransfer, WeightTransfer


@pytest.fixture
def proxy() -> Iterator[FakeWeightsProxy]:
    with fake_weights_proxy() as proxy:
        yield proxy


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    return folder


def tensors() -> Iterator[tuple[str, Any]]:
    yield "a", np.zeros(2, np.float32)


def failed(**fields: Any) -> tuple[int, dict[str, Any]]:
    """An answer of a failed update."""
    servers = [
        {"url": "http://one", "version": 1, "state": "loaded", "seconds": 1, "error": None},
        {"url": "http://two", "version": None, "state": "failed", "seconds": None, "error": "out of memory"},
    ]
    weights = record("failed", 0, target_version=1, error="1 server failed", servers=servers, **fields)
    return 502, {"error": {"code": "weights_failed", "message": "The weight update failed.", "weights": weights}}


def test_weights_are_written_and_loaded_in_one_call(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path / "weights", base=base)
    proxy.answer(200, record())
    transfer.init_weight_transfer()
    for version in (1, 2, 3):
        proxy.answer(200, record(version=version))
        transfer.pause()
        transfer.send_weights(tensors())
        assert transfer.version == version
        transfer.resume()
    transfer.destroy()
    # A second training goes on with the versions.
    proxy.answer(200, record(version=4))
    transfer.send_weights(tensors())
    transfer.destroy()
    # TRL resumes before it announces the version, so that the one call must set it.
    assert proxy.paths == ["GET /rl/weights", *["POST /rl/weights"] * 4]
    bodies = [body for _, _, body in proxy.calls[1:]]
    assert [body["version"] for body in bodies] == [1, 2, 3, 4]
    assert len({body["path"] for body in bodies}) == 4
    assert {str(path) for path in (tmp_path / "weights").iterdir()} == {body["path"] for body in bodies[-2:]}


def test_the_engine_may_see_the_folder_elsewhere(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base, engine_directory="/mnt/w", exclude=["http://old"])
    proxy.answer(200, record(version=1))
    transfer.send_weights(tensors())
    transfer.destroy()
    body = proxy.calls[0][2]
    assert Path(body["path"]).parent == Path("/mnt/w")
    assert (tmp_path / Path(body["path"]).name).is_dir()
    assert body["exclude"] == ["http://old"]


def test_tensors_can_be_converted(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(
        proxy.url,
        KEY,
        tmp_path / "weights",
        base=base,
        dtype="float16",
        convert=lambda given: ((f"model.{name}", tensor + 1) for name, tensor in given),
    )
    proxy.answer(200, record(version=1))
    transfer.send_weights(tensors())
    transfer.destroy()
    data = Path(proxy.calls[0][2]["path"], "model.safetensors").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert header["model.a"] == {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}
    assert np.frombuffer(data[-4:], "<f2").tolist() == [1, 1]


def test_a_long_load_is_followed_to_its_end(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base)
    proxy.answer(202, record("loading", target_version=1))
    proxy.answer(200, record("resuming", target_version=1))
    proxy.answer(200, record("idle", 1))
    transfer.send_weights(tensors())
    transfer.destroy()
    assert transfer.version == 1
    assert proxy.paths == ["POST /rl/weights", "GET /rl/weights", "GET /rl/weights"]


@pytest.mark.parametrize("late", [False, True])
def test_a_failed_load_says_what_each_server_has_and_what_to_do(
    proxy: FakeWeightsProxy, base: Path, tmp_path: Path, late: bool
) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path / "weights", base=base)
    status, answer = failed()
    if late:
        proxy.answer(202, record("loading", target_version=1))
        proxy.answer(200, answer["error"]["weights"])
    else:
        proxy.answer(status, answer)
    with pytest.raises(WeightsError) as caught:
        transfer.send_weights(tensors())
    transfer.destroy()
    assert caught.value.code == "weights_failed"
    message = str(caught.value)
    assert "The engine stays paused, and its tokens keep version 0" in message
    assert "http://one: loaded, version 1, http://two: failed, version unknown (out of memory)" in message
    assert "abandon_weights" in message
    assert caught.value.record is not None
    # Nothing was resumed, and the weights are still there for a repetition.
    assert transfer.version == 0
    assert all(not path.endswith("finish") and not path.startswith("DELETE") for path in proxy.paths)
    assert len(list((tmp_path / "weights").iterdir())) == 1


def test_a_load_that_does_not_end_is_reported(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base, timeout=0)
    proxy.answer(202, record("loading", target_version=1))
    with pytest.raises(RolltapeError, match=r"weights_timed_out: .* still loading after 0 seconds"):
        transfer.send_weights(tensors())
    transfer.destroy()


def test_a_late_failure_before_the_pause_has_its_reason(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base)
    proxy.answer(202, record("loading", target_version=1))
    proxy.answer(200, record("idle", error="Tensor a has another shape."))
    with pytest.raises(WeightsError, match=r"Tensor a has another shape\. The engine goes on with version 0"):
        transfer.send_weights(tensors())
    transfer.destroy()


def test_an_update_by_somebody_else_is_noticed(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base)
    proxy.answer(200, record("idle", 7))
    with pytest.raises(WeightsError, match=r"The update to version 1 ended\. .* goes on with version 7"):
        transfer.send_weights(tensors())
    proxy.answer(200, record("loading", target_version=8))
    with pytest.raises(WeightsError, match="weights_busy: An update to version 8"):
        transfer.init_weight_transfer()
    transfer.destroy()


def test_a_training_can_begin_after_an_update_that_failed(proxy: FakeWeightsProxy, base: Path, tmp_path: Path) -> None:
    transfer = WeightTransfer(proxy.url, KEY, tmp_path, base=base)
    proxy.answer(200, record("failed", target_version=3))
    transfer.init_weight_transfer()
    transfer.destroy()


def test_tensors_are_pushed_between_pause_and_resume(proxy: FakeWeightsProxy) -> None:
    pushed: list[Any] = []

    def push(given: Iterator[tuple[str, Any]], urls: list[str]) -> None:
        pushed.append(([name for name, _ in given], urls, list(proxy.paths)))

    transfer = ExternalWeightTransfer(
        proxy.url, KEY, push, open=lambda: pushed.append("open"), close=lambda: pushed.append("close")
    )
    servers = [
        {"url": "http://one", "version": 0, "state": "pending", "seconds": None, "error": None},
        {"url": "http://two", "version": 0, "state": "excluded", "seconds": None, "error": None},
    ]
    proxy.answer(200, record())
    transfer.init_weight_transfer()
    proxy.answer(202, record("pausing", target_version=1))
    proxy.answer(200, record("external", target_version=1, servers=servers))
    transfer.pause()
    transfer.send_weights(tensors())
    assert transfer.version == 0
    proxy.answer(202, record("resuming", target_version=1))
    proxy.answer(200, record("idle", 1))
    transfer.resume()
    assert transfer.version == 1
    transfer.destroy()
    before = ["GET /rl/weights", "POST /rl/weights", "GET /rl/weights"]
    assert pushed == ["open", (["a"], ["http://one"], before), "close"]
    assert proxy.paths == [*before, "POST /rl/weights/finish", "GET /rl/weights"]
    assert proxy.calls[1][2]["mode"] == "external"


def test_a_failed_push_leaves_the_engine_paused(proxy: FakeWeightsProxy) -> None:
    def push(given: Iterator[tuple[str, Any]], urls: list[str]) -> None:
        raise OSError("NCCL")

    transfer = ExternalWeightTransfer(proxy.url, KEY, push)
    proxy.answer(200, record("external", target_version=1))
    transfer.pause()
    with pytest.raises(RuntimeError, match=r"could not be pushed: NCCL\. The engine stays paused") as caught:
        transfer.send_weights(tensors())
    assert isinstance(caught.value.__cause__, OSError)
    transfer.destroy()
    assert proxy.paths == ["POST /rl/weights"]


def test_an_update_that_was_given_up_is_an_error(proxy: FakeWeightsProxy) -> None:
    transfer = ExternalWeightTransfer(proxy.url, KEY, lambda given, urls: None)
    proxy.answer(202, record("pausing", target_version=1))
    proxy.answer(200, record("idle"))
    with pytest.raises(WeightsError, match="was given up"):
        transfer.pause()
    transfer.destroy()
