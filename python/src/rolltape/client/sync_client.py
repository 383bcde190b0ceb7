"""The blocking client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import httpx

from ..batch import Batch
from ..errors import RolltapeError
from . import calls
from .call import Call
from .calls.sessions import State
from .methods import method
from .records import SessionRecord
from .session import Session
from .shared_batch import SharedBatch, check_pin
from .started_session import StartedSession
from .transport import SyncTransport, proxy_url
from .worker_address import worker_probe

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SamplingOverride, SharedOptions, Split

T = TypeVar("T")


class Client:
    """The trainer's calls of a proxy or a gateway. Use it as a context manager, or call `close`.

    url: address of the proxy, with or without `/v1`.
    admin_key: its admin key.
    http: an httpx.Client to use instead of a new one.

    Every call raises RolltapeError if it fails. Calls whose repetition has no further effect are sent again up to three
    times if the connection breaks; slots, sessions and batches in shared memory are requested only once.
    """

    def __init__(self, url: str, admin_key: str, *, http: httpx.Client | None = None) -> None:
        self.url = proxy_url(url)
        self._transport = SyncTransport(url, admin_key, http)
        self._workers: dict[tuple[str, str | None], bool] = {}

    livez = method(calls.livez)
    health = method(calls.health)
    metrics = method(calls.metrics)
    models = method(calls.models)
    openapi = method(calls.openapi)
    grant_capacity = method(calls.grant_capacity)
    cordon = method(calls.cordon)
    uncordon = method(calls.uncordon)
    set_version = method(calls.set_version)
    start_run = method(calls.start_run)
    run_sessions = method(calls.run_sessions)
    list_sessions = method(calls.list_sessions)
    get_session = method(calls.get_session)
    transcript = method(calls.transcript)
    transcripts = method(calls.transcripts)
    end_sessions = method(calls.end_sessions)
    delete_session = method(calls.delete_session)
    engine = method(calls.engine)
    drain_engine = method(calls.drain_engine)
    restore_engine = method(calls.restore_engine)
    pause_engine = method(calls.pause_engine)
    resume_engine = method(calls.resume_engine)
    weights = method(calls.weights)
    update_weights = method(calls.update_weights)
    begin_weights = method(calls.begin_weights)
    finish_weights = method(calls.finish_weights)
    abandon_weights = method(calls.abandon_weights)
    export_trajectories = method(calls.export_trajectories)
    export_batch = method(calls.export_batch)
    export_batch_to = method(calls.export_batch_to)
    export_sessions_to = method(calls.export_sessions_to)
    export_held_batch = method(calls.export_held_batch)
    export_shared_files = method(calls.export_shared_files)
    acknowledge = method(calls.acknowledge)

    def run(self, call: Call[T]) -> T:
        """Sends a call of `rolltape.client.calls` and returns its result."""
        return self._transport.run(call)

    def session(
        self,
        task_id: str | None = None,
        group_id: str | None = None,
        *,
        sampling_override: SamplingOverride | None = None,
        without_channels: Sequence[str] | None = None,
        split: Split | None = None,
        api_key: str | None = None,
    ) -> Session:
        """Starts a session, which takes a slot. Use it in a `with` statement, which ends it, or call `end`.

        sampling_override: sampling parameters of each call of the session, instead of those of requests.
        without_channels: channels that the session does not record, although the server does, such as `routed_experts`.
        split: `eval` for an evaluation session, which exports of training sessions refuse.

        Raises CapacityError `no_capacity` if no slot is free.
        """
        call = calls.start_session(
            task_id,
            group_id,
            sampling_override=sampling_override,
            without_channels=without_channels,
            split=split,
            api_key=api_key,
        )
        started = self.run(call)
        return Session(self, started, self._address(started))

    def sessions(self, state: State | None = None, task_id: str | None = None) -> Iterator[SessionRecord]:
        """Iterates over all sessions, oldest first, over as many pages as there are."""
        after = None
        while True:
            page = self.list_sessions(state, task_id, after=after)
            yield from page["sessions"]
            after = page["next"]
            if not page["has_more"]:
                return

    @contextmanager
    def shared_batch(
        self, session_ids: Sequence[str], *, pin: bool = False, **options: Unpack[SharedOptions]
    ) -> Iterator[Batch]:
        """Exports sessions as a batch in shared memory, and maps it without a copy. The proxy must be on this machine.

        With `shard_by="workers"` behind a gateway, the worker that packs the shard must be on this machine. If it is not,
        the batch is received into the memory of this process. `reader_hosts` may have the `machine_id` of each rank, so that
        ranks get the shards of their machines.

        The batch is valid inside the `with` block. Leaving the block acknowledges it. Arrays and tensors that are still
        referenced then keep their content: the file is unlinked instead of being reused.

        With `shards`, pass `shard` as well. With `acknowledge`, a block that raises does not acknowledge the batch: its
        sessions can be exported again when the lease ends.

        pin: map the memory once in this process and register it with CUDA, so that `Batch.torch("cuda")` copies from it
            directly. Its arrays cannot be written to. No other process may read batches from the proxy's shared memory.
            Raises RolltapeError `pin_failed` without a GPU.
        """
        check_pin(pin, options)
        shared = SharedBatch(self.run(calls.deliver_shared(session_ids, options)), options, pin)
        try:
            with shared:
                yield shared.open()
        finally:
            for batch_id in shared.to_acknowledge:
                self.acknowledge(batch_id)

    def close(self) -> None:
        """Closes the connections."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _address(self, started: StartedSession) -> str:
        if started.base_url is None:
            return self.url
        address = proxy_url(started.base_url)
        place = (address, started.worker_tag)
        if place not in self._workers:
            try:
                self._workers[place] = self.run(worker_probe(started, address))
            except RolltapeError:
                self._workers[place] = False
        return address if self._workers[place] else self.url
