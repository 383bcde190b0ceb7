"""Shared memory that is registered with CUDA, with a fake of its runtime: the calls, not what they do."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import rolltape
from rolltape import Client, Server
from rolltape.client import pinned
from support import ended_session

torch = pytest.importorskip("torch", reason="PyTorch is optional (pip install torch)")


class FakeCudart:
    def __init__(self) -> None:
        self.registered: dict[int, int] = {}
        self.unregistered: list[int] = []
        self.registrations = 0
        self.waits = 0
        self.error = 0

    def cudaHostRegister(self, address: int, size: int, flags: int) -> int:
        if self.error == 0:
            assert address not in self.registered
            assert address % 4096 == 0
            self.registered[address] = size
            self.registrations += 1
        return self.error

    def cudaHostUnregister(self, address: int) -> int:
        del self.registered[address]
        self.unregistered.append(address)
        return 0

    def synchronize(self) -> None:
        self.waits += 1


@pytest.fixture
def cudart(monkeypatch: pytest.MonkeyPatch) -> FakeCudart:
    fake = FakeCudart()
    monkeypatch.setattr(torch.cuda, "cudart", lambda: fake)
    monkeypatch.setattr(torch.cuda, "synchronize", fake.synchronize)
    monkeypatch.setattr(pinned.SEGMENTS, "_segments", {})
    monkeypatch.setattr(pinned.SEGMENTS, "_outgrown", [])
    return fake


def test_memory_that_the_proxy_reuses_is_registered_once(client: Client, server: Server, cudart: FakeCudart) -> None:
    # An exported session can be exported again, into a batch of the same size.
    session_id = ended_session(client, 2)
    body = client.export_batch([session_id])
    for number in range(1, 4):
        with client.shared_batch([session_id], pin=True) as batch:
            assert batch.metadata == body.metadata
            assert all((batch[name] == body[name]).all() for name in body.tensors)
            assert not batch["input_ids"].flags.writeable
            address = batch["input_ids"].ctypes.data
            assert any(begin <= address < begin + size for begin, size in cudart.registered.items())
        # Copies to the GPU have ended before the memory goes back.
        assert cudart.waits == number
        with pytest.raises(rolltape.BatchError):
            _ = batch.tensors
    assert (cudart.registrations, len(cudart.registered)) == (1, 1)


def test_memory_is_unregistered_when_its_file_is_dropped_and_nothing_uses_it(
    client: Client, server: Server, cudart: FakeCudart
) -> None:
    session_id = ended_session(client, 2)

    def open_one() -> np.ndarray[Any, Any]:
        with client.shared_batch([session_id], pin=True) as batch:
            return batch["logprobs"]

    kept = open_one()
    values = kept.copy()
    (first,) = cudart.registered
    # The array keeps the first memory, so the proxy must not reuse it.
    with client.shared_batch([ended_session(client, 4)], pin=True):
        pass
    assert (kept == values).all()
    assert cudart.registrations == 2
    assert len(cudart.registered) == 2
    open_one()
    assert first not in cudart.unregistered
    del kept
    gc.collect()
    open_one()
    assert first in cudart.unregistered


def test_memory_of_another_size_is_registered_again(client: Client, server: Server, cudart: FakeCudart) -> None:
    for calls in (1, 3, 1):
        with client.shared_batch([ended_session(client, calls)], pin=True) as batch:
            address = batch["input_ids"].ctypes.data + batch["input_ids"].nbytes - 1
            assert any(begin <= address < begin + size for begin, size in cudart.registered.items())
    with client.shared_batch([ended_session(client, 1)], pin=True):
        assert len(cudart.registered) <= 2


def test_shards_cannot_be_pinned(client: Client, server: Server, cudart: FakeCudart) -> None:
    ids = [ended_session(client, 1), ended_session(client, 1)]
    with pytest.raises(ValueError, match="cannot be combined"), client.shared_batch(ids, pin=True, shards=2, shard=0):
        pass


def test_a_refusal_of_cuda_is_an_error_and_leaves_no_batch(client: Client, server: Server, cudart: FakeCudart) -> None:
    cudart.error = 2
    before = ended_session(client, 1)
    with (
        pytest.raises(rolltape.RolltapeError, match="failed with error 2") as failed,
        client.shared_batch([before], pin=True),
    ):
        pass
    assert failed.value.code == "pin_failed"
    assert pinned.SEGMENTS._segments == {}


def test_without_a_gpu_the_error_says_so(client: Client, server: Server) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with (
        pytest.raises(rolltape.RolltapeError, match="needs PyTorch with a GPU"),
        client.shared_batch([ended_session(client, 1)], pin=True),
    ):
        pass
