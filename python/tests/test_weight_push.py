"""Tensors that are pushed to engine servers over gloo, by real process groups."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

import rolltape
from fake_weights_proxy import KEY, FakeWeightsProxy, fake_weights_proxy, record
from rolltape import WeightsError
from rolltape.trl import ExternalWeightTransfer
from rolltape.weights import TensorSender, WeightFolder, WeightPush
from rolltape.weights.buckets import fill_buckets

torch = pytest.importorskip("torch")

RECEIVER = Path(__file__).with_name("push_receiver.py")


@pytest.fixture
def proxy() -> Iterator[FakeWeightsProxy]:
    with fake_weights_proxy() as proxy:
        yield proxy


@pytest.fixture
def receiver() -> Iterator[Callable[[str], str]]:
    """Starts engine servers, each with its fault, and returns their addresses."""
    with ExitStack() as stack:

        def start(fault: str = "none") -> str:
            environment = {**os.environ, "PYTHONPATH": str(Path(rolltape.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
            command = [sys.executable, str(RECEIVER), fault]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
            stack.callback(process.wait)
            stack.callback(process.kill)
            assert process.stdout is not None
            stack.callback(process.stdout.close)
            return f"http://127.0.0.1:{process.stdout.readline().strip()}"

        yield start


def tensors() -> Iterator[tuple[str, Any]]:
    torch.manual_seed(0)
    yield "a", torch.randn(3, 5)
    yield "b", torch.randn(7).to(torch.bfloat16)
    yield "c", torch.randn(4)  # Begins at an address that is no multiple of 4.
    yield "d", torch.randn(6, 4).t()  # Not contiguous.
    yield "e", torch.randn(1000)  # Larger than a bucket.
    yield "f", torch.tensor(2.5)


def digests() -> list[list[Any]]:
    return [
        [
            name,
            str(tensor.dtype),
            list(tensor.shape),
            hashlib.sha256(tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()).hexdigest(),
        ]
        for name, tensor in tensors()
    ]


def received(url: str) -> dict[str, Any]:
    answer: dict[str, Any] = httpx.get(f"{url}/received", trust_env=False).json()
    return answer


def sender(**options: Any) -> TensorSender:
    given: dict[str, Any] = {"address": "127.0.0.1", "backend": "gloo", "bucket_bytes": 200, "timeout": 60, **options}
    return TensorSender("sglang", **given)


def servers(*urls: str, version: int = 0, **fields: Any) -> list[dict[str, Any]]:
    return [
        {"url": url, "version": version, "state": "pending", "seconds": None, "error": None, **fields} for url in urls
    ]


def external(version: int, *urls: str) -> dict[str, Any]:
    return record("external", 0, target_version=version, mode="external", servers=servers(*urls))


def test_all_servers_get_the_bytes_of_all_tensors(proxy: FakeWeightsProxy, receiver: Callable[[], str]) -> None:
    urls = [receiver(), receiver()]
    with WeightPush(proxy.url, KEY, sender(), model="policy", exclude=["http://old"]) as push:
        for version in (7, 8):
            proxy.answer(200, record())
            proxy.answer(200, external(version, *urls))
            proxy.answer(200, record(version=version))
            assert push.push(version, tensors())["version"] == version
    for url in urls:
        got = received(url)
        assert [each for each in got["tensors"] if each[0] != "end of bucket"] == digests() * 2
        # One group for both pushes.
        assert got["calls"].count("/init_weights_update_group") == 1
        assert got["calls"][-1] == "/destroy_weights_update_group"
    names = [each[0] for each in received(urls[0])["tensors"]]
    bucket_names = "".join(names).split("end of bucket")
    assert bucket_names == ["ab", "cd", "e", "f", "ab", "cd", "e", "f", ""]
    assert proxy.paths[:3] == ["GET /rl/weights?model=policy", "POST /rl/weights", "POST /rl/weights/finish"]
    assert proxy.calls[1][2] | {"wait_seconds": 0} == {
        "version": 7,
        "mode": "external",
        "model": "policy",
        "exclude": ["http://old"],
        "wait_seconds": 0,
    }
    assert proxy.calls[2][2] == {"version": 7, "model": "policy", "exclude": ["http://old"]}


def test_the_groups_of_the_trainer_itself_are_not_touched(receiver: Callable[[], str]) -> None:
    torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
    try:
        url, tensor_sender = receiver(), sender()
        for _ in range(2):
            tensor_sender.send(tensors(), [url])
            tensor_sender.close()
        assert received(url)["calls"].count("/init_weights_update_group") == 2
        total = torch.ones(1)
        torch.distributed.all_reduce(total)
        assert total.item() == 1
    finally:
        torch.distributed.destroy_process_group()


def test_the_transfer_of_trl_sends_with_it(proxy: FakeWeightsProxy, receiver: Callable[[], str]) -> None:
    url, tensor_sender = receiver(), sender()
    transfer = ExternalWeightTransfer(proxy.url, KEY, tensor_sender.send, close=tensor_sender.close)
    proxy.answer(200, external(1, url))
    proxy.answer(200, record(version=1))
    transfer.pause()
    transfer.send_weights(tensors())
    transfer.resume()
    transfer.destroy()
    assert transfer.version == 1
    got = received(url)
    assert [each for each in got["tensors"] if each[0] != "end of bucket"] == digests()
    assert got["calls"][-1] == "/destroy_weights_update_group"


def test_a_push_that_cannot_begin_is_given_up(proxy: FakeWeightsProxy, receiver: Callable[[str], str]) -> None:
    good, bad = receiver("none"), receiver("join")
    proxy.answer(200, record())
    proxy.answer(200, external(7, good, bad))
    proxy.answer(200, record(version=3))
    with WeightPush(proxy.url, KEY, sender()) as push, pytest.raises(WeightsError) as caught:
        push.push(7, tensors())
    assert caught.value.code == "weights_push_failed"
    assert f"{bad}: /init_weights_update_group answered 400" in caught.value.message
    assert "no device" in caught.value.message
    assert caught.value.message.endswith("No server has begun to load, so the engine goes on with version 3.")
    assert proxy.paths[-1] == "DELETE /rl/weights"
    # The other server has stopped to wait.
    assert received(good)["tensors"] == []


def test_a_push_is_not_given_up_if_an_earlier_one_has_stopped(
    proxy: FakeWeightsProxy, receiver: Callable[[str], str]
) -> None:
    bad = receiver("join")
    proxy.answer(200, external(7, bad))
    proxy.answer(200, external(7, bad))
    with WeightPush(proxy.url, KEY, sender()) as push, pytest.raises(WeightsError, match="The engine stays paused"):
        push.push(7, tensors())
    assert proxy.paths == ["GET /rl/weights", "POST /rl/weights"]


def test_a_server_that_refuses_a_bucket_is_named(proxy: FakeWeightsProxy, receiver: Callable[[str], str]) -> None:
    good, bad = receiver("none"), receiver("update")
    proxy.answer(200, record())
    proxy.answer(200, external(7, good, bad))
    with WeightPush(proxy.url, KEY, sender(timeout=10)) as push:
        with pytest.raises(WeightsError) as caught:
            push.push(7, tensors())
        assert f"{bad}: /update_weights_from_distributed answered 400" in caught.value.message
        assert "The engine stays paused" in caught.value.message
        assert "Push version 7 again" in caught.value.message
        assert proxy.paths == ["GET /rl/weights", "POST /rl/weights"]
    # A repetition without it: the pause includes the server, so another list of servers is refused.
    proxy.answer(200, external(7, good, bad))
    proxy.answer(409, {"error": {"code": "weights_busy", "message": "A weight update to version 7 is in progress."}})
    proxy.answer(200, external(7, good, bad))
    proxy.answer(200, record(version=7))
    with WeightPush(proxy.url, KEY, sender(), exclude=[bad]) as push:
        push.push(7, tensors())
    assert proxy.calls[-1][2] == {"version": 7, "exclude": [bad]}
    assert [each for each in received(good)["tensors"] if each[0] != "end of bucket"][-6:] == digests()


def test_a_server_that_hangs_ends_the_push(proxy: FakeWeightsProxy, receiver: Callable[[str], str]) -> None:
    bad = receiver("hang")
    proxy.answer(200, record())
    proxy.answer(200, external(7, bad))
    with (
        WeightPush(proxy.url, KEY, sender(timeout=2)) as push,
        pytest.raises(WeightsError, match=rf"{bad}: .*The engine stays paused"),
    ):
        push.push(7, tensors())


def test_a_session_that_an_earlier_trainer_left_open_is_ended(receiver: Callable[[str], str]) -> None:
    url = receiver("start")
    tensor_sender = sender()
    tensor_sender.send(tensors(), [url])
    tensor_sender.close()
    paths = [path for path in received(url)["calls"] if path.endswith("weight_update")]
    assert paths == ["/begin_weight_update", "/end_weight_update", "/begin_weight_update", "/end_weight_update"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([("a", [1.0])], "a must be a PyTorch tensor; received list"),
        ([("a", torch.zeros(0, 3))], r"a must have elements; its shape is \[0, 3\]"),
        ([], "The trainer sends no tensor"),
    ],
)
def test_wrong_tensors_are_refused(bad: list[tuple[str, Any]], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        list(fill_buckets(bad, 200, torch.device("cpu")))


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ValueError, match=r"engine must be one of vllm, sglang; received 'tgi'\."):
        TensorSender("tgi", address="127.0.0.1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"backend must be `nccl` or `gloo`; received 'mpi'\."):
        sender(backend="mpi")
    with pytest.raises(ValueError, match=r"bucket_bytes must be at least 1; received 0\."):
        sender(bucket_bytes=0)


def test_a_folder_is_pushed_as_any_version_of_a_model(proxy: FakeWeightsProxy, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text("{}")
    with WeightFolder(proxy.url, KEY, tmp_path / "weights", base=base, keep=2, model="policy") as folder:
        for version in (5, 9, 4):
            proxy.answer(200, record(version=version))
            assert folder.push(version, tensors())["version"] == version
    bodies = [body for _, _, body in proxy.calls]
    assert [(body["version"], body["model"]) for body in bodies] == [(5, "policy"), (9, "policy"), (4, "policy")]
    assert {str(path) for path in (tmp_path / "weights").iterdir()} == {body["path"] for body in bodies[-2:]}
