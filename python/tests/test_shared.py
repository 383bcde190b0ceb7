"""Batches in shared memory: taken without a copy, acknowledged, and never overwritten while they are in use."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import rolltape
from rolltape import AsyncClient, Batch, Client, Server
from support import ended_session


def files(server: Server) -> list[str]:
    """Batches that readers may look at. The server keeps memory of acknowledged ones under other names."""
    return sorted(path.name for path in Path(server.ready["shared"]).rglob("*.safetensors"))


def equal(left: Batch, right: Batch) -> bool:
    return left.metadata == right.metadata and all((left[name] == right[name]).all() for name in right.tensors)


@pytest.mark.parametrize("layout", ["padded", "packed", "tree"])
def test_a_shared_batch_is_that_of_the_body_and_is_acknowledged(client: Client, server: Server, layout: str) -> None:
    session_id = ended_session(client, 3)
    body = client.export_batch([session_id], layout=layout)  # type: ignore[arg-type]
    with client.shared_batch([session_id], layout=layout) as batch:  # type: ignore[arg-type]
        assert equal(batch, body)
        assert len(files(server)) == 1
    assert files(server) == []
    with pytest.raises(rolltape.BatchError):
        _ = batch.tensors


def test_arrays_that_are_kept_are_not_overwritten(client: Client, server: Server) -> None:
    first, second = ended_session(client, 3), ended_session(client, 3)
    with client.shared_batch([first]) as batch:
        kept = batch["logprobs"]
        values = kept.copy()
    assert files(server) == []
    for _ in range(3):
        with client.shared_batch([second]) as batch:
            assert len(batch) == 3
    assert (kept == values).all()


def test_memory_is_reused_if_nothing_is_kept(client: Client, server: Server) -> None:
    first, second = ended_session(client, 3), ended_session(client, 3)
    inodes = set()
    for session_id in (first, second):
        with client.shared_batch([session_id]):
            (name,) = files(server)
            (path,) = Path(server.ready["shared"]).rglob(name)
            inodes.add(path.stat().st_ino)
    assert len(inodes) == 1


def test_a_block_that_raises_acknowledges_the_batch(client: Client, server: Server) -> None:
    session_id = ended_session(client)
    with pytest.raises(ZeroDivisionError), client.shared_batch([session_id]):
        raise ZeroDivisionError
    assert files(server) == []


def test_with_acknowledge_a_block_that_raises_keeps_the_sessions(client: Client, server: Server) -> None:
    session_id = ended_session(client)
    with pytest.raises(ZeroDivisionError), client.shared_batch([session_id], acknowledge=True, lease_seconds=0.2):
        raise ZeroDivisionError
    assert files(server) == []
    # The lease ends, and the session can be exported again.
    while client.get_session(session_id)["state"] != "ended":
        pass
    with client.shared_batch([session_id], acknowledge=True) as batch:
        assert len(batch) == 2
    with pytest.raises(rolltape.RolltapeError):
        client.export_batch([session_id])


def test_shards_are_taken_one_by_one(client: Client, server: Server) -> None:
    ids = [ended_session(client) for _ in range(3)]
    rows = []
    for shard in range(2):
        with client.shared_batch(ids, shards=2, shard=shard) as batch:
            rows += [row["interaction_id"] for row in batch.rows]
    assert sorted(rows) == sorted(row["interaction_id"] for row in client.export_batch(ids).rows)
    with pytest.raises(ValueError, match="The export has 2 files"), client.shared_batch(ids, shards=2):
        pass
    assert files(server) == []


def test_the_async_client_takes_shared_batches(client: Client, server: Server) -> None:
    session_id = ended_session(client)

    async def main() -> None:
        async with AsyncClient(server.url, server.admin_key) as other:
            async with other.shared_batch([session_id], layout="packed") as batch:
                assert len(batch) == 2
            assert files(server) == []

    asyncio.run(main())


def test_shards_by_workers_are_mapped_on_this_machine(client: Client, server: Server) -> None:
    ids = [ended_session(client, 2) for _ in range(2)]
    expected = [client.export_batch(ids, shards=2, shard=shard) for shard in range(2)]
    hosts = [rolltape.machine_id(server.ready["shared"]) or ""] * 2
    for shard in range(2):
        with client.shared_batch(ids, shards=2, shard=shard, shard_by="workers", reader_hosts=hosts) as batch:
            assert equal(batch, expected[shard])
            assert len(files(server)) == 1
    assert files(server) == []


def test_a_batch_of_another_machine_is_received_and_acknowledged(client: Client, server: Server) -> None:
    session_id = ended_session(client, 2)
    for options in ({"shard_by": "workers"}, {}):
        elsewhere = {**options, "reader_hosts": ["another machine"], "acknowledge": True}
        with client.shared_batch([session_id], **elsewhere) as batch:  # type: ignore[arg-type]
            assert len(batch) == 2
            assert files(server) == []
        with pytest.raises(rolltape.RolltapeError):
            client.export_batch([session_id])
        session_id = ended_session(client, 2)


def test_readers_of_other_machines_are_received_by_the_async_client(server: Server) -> None:
    async def read() -> int:
        async with AsyncClient(server.url, server.admin_key) as client:
            with Client(server.url, server.admin_key) as other:
                session_id = ended_session(other, 3)
            async with client.shared_batch([session_id], reader_hosts=["another machine"]) as batch:
                return len(batch)

    assert asyncio.run(read()) == 3


def test_the_machine_has_one_identity() -> None:
    assert rolltape.machine_id() == rolltape.machine_id() is not None
