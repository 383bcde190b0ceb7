"""Weight transfers and a worker with a real server, without PyTorch: the tensors are numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolltape import Client, InvalidRequestError, Server, WeightsError, serve
from rolltape.trl import ExternalWeightTransfer, RolloutWorker, WeightTransfer
from rolltape.weights.checkpoint import BaseCheckpoint
from support import COMMAND, chat
from trl_support import letter_agent, take


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server of its own, because its weights change."""
    settings = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
    with serve(settings, command=COMMAND, env={"ROLLTAPE_CACHE_DIR": str(tmp_path)}) as running:
        yield running


@pytest.fixture
def base(server: Server, tmp_path: Path) -> Path:
    """The folder of the server's model."""
    return tmp_path / str(server.ready["model"])


def tensors(base: Path, scale: float = 1.0) -> Iterator[tuple[str, Any]]:
    """Returns the tensors of a folder, multiplied."""
    for name, stored in BaseCheckpoint(base).tensors.items():
        assert stored.dtype == "F32"
        yield name, np.frombuffer(stored.read(), "<f4").reshape(stored.shape) * np.float32(scale)


def send(transfer: Any, given: Iterator[tuple[str, Any]]) -> None:
    """Does what TRL does."""
    transfer.pause()
    transfer.send_weights(given)
    transfer.resume()


def greedy_logprobs(client: Client) -> tuple[list[int], list[float], set[int]]:
    """Returns tokens, log probabilities and versions of a greedy answer."""
    client.grant_capacity()
    with client.session("check") as session:
        chat(session, "Say something", max_tokens=16, temperature=0)
    (sample,) = client.export_batch([session.session_id]).samples()
    return sample.response_ids.tolist(), sample.response_logprobs.tolist(), set(sample.response_versions.tolist())


def test_the_engine_uses_the_weights_that_were_sent(server: Server, base: Path, client: Client, tmp_path: Path) -> None:
    transfer = WeightTransfer(server.url, server.admin_key, tmp_path / "weights", base=base)
    transfer.init_weight_transfer()
    ids, before, versions = greedy_logprobs(client)
    assert versions == {0}
    send(transfer, tensors(base))
    same_ids, same, versions = greedy_logprobs(client)
    assert versions == {1}
    assert same_ids == ids
    np.testing.assert_allclose(same, before, atol=1e-5)
    send(transfer, tensors(base, 0.5))
    _, other, versions = greedy_logprobs(client)
    assert versions == {2}
    assert np.abs(np.array(other) - np.array(before)).max() > 0.01
    send(transfer, tensors(base))
    transfer.destroy()
    again_ids, again, versions = greedy_logprobs(client)
    assert (again_ids, versions) == (ids, {3})
    np.testing.assert_allclose(again, before, atol=1e-5)


def test_weights_that_do_not_fit_leave_the_engine_as_it_was(
    server: Server, base: Path, client: Client, tmp_path: Path
) -> None:
    transfer = WeightTransfer(server.url, server.admin_key, tmp_path / "weights", base=base)
    ids, before, _ = greedy_logprobs(client)
    with pytest.raises(WeightsError, match=r"model\.norm\.weight") as caught:
        send(
            transfer,
            ((name, tensor[:-1] if name == "model.norm.weight" else tensor) for name, tensor in tensors(base, 0.5)),
        )
    assert caught.value.code == "weights_failed"
    assert transfer.version == 0
    # The embedded engine checks the files before it pauses, so it goes on with the old weights.
    after_ids, after, versions = greedy_logprobs(client)
    assert (after_ids, versions) == (ids, {0})
    np.testing.assert_allclose(after, before, atol=1e-5)
    # The same training can go on when the cause is gone.
    send(transfer, tensors(base, 0.5))
    transfer.destroy()
    assert greedy_logprobs(client)[2] == {1}


def test_rows_have_the_versions_of_their_weights(server: Server, base: Path, client: Client, tmp_path: Path) -> None:
    one = RolloutWorker(server.url, server.admin_key, letter_agent, ["a", "b"], n=2, groups=2, queue_size=4)
    transfer = WeightTransfer(server.url, server.admin_key, tmp_path / "weights", base=base)
    transfer.init_weight_transfer()
    send(transfer, tensors(base))
    one.update_model_version(1)
    one.start()
    try:
        assert {sample.model_version for sample in take(one.rollout_buffer, 4)} == {1}
        for version in (2, 3):
            send(transfer, tensors(base, 1.0 + version / 100))
            one.update_model_version(version)
            # Rows that were begun before have older versions.
            while take(one.rollout_buffer, 1)[0].model_version != version:
                pass
        one.check_health(60.0)
    finally:
        one.stop()
        transfer.destroy()
    assert client.weights()["version"] == 3
    assert [*client.sessions("active"), *client.sessions("ended")] == []


def test_an_external_update_needs_engine_servers(server: Server) -> None:
    transfer = ExternalWeightTransfer(server.url, server.admin_key, lambda given, urls: None)
    transfer.init_weight_transfer()
    with pytest.raises(InvalidRequestError, match="the engine runs in this process"):
        transfer.pause()
    transfer.destroy()
