"""The client with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, TypeVar

import httpx

from ..batch import Batch
from ..errors import RolltapeError
from . import calls
from .call import Call
from .calls.sessions import State
from .methods import async_method
from .records import SessionRecord
from .session import AsyncSession
from .session_start import SessionStart
from .shared_batch import AsyncSharedBatch, SharedBatch, check_pin
from .started_session import StartedSession
from .transport import AsyncTransport, proxy_url
from .worker_address import worker_probe

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import SamplingOverride, SharedOptions, Split

T = TypeVar("T")


class AsyncClient:
    """The calls of Client, as coroutines. Use it in `async with`, or call `close`."""

    def __init__(self, url: str, admin_key: str, *, http: httpx.AsyncClient | None = None) -> None:
        self.url = proxy_url(url)
        self._transport = AsyncTransport(url, admin_key, http)
        self._workers: dict[tuple[str, str | None], bool] = {}

    livez = async_method(calls.livez)
    health = async_method(calls.health)
    metrics = async_method(calls.metrics)
    models = async_method(calls.models)
    openapi = async_method(calls.openapi)
    grant_capacity = async_method(calls.grant_capacity)
    cordon = async_method(calls.cordon)
    uncordon = async_method(calls.uncordon)
    set_version = async_method(calls.set_version)
    start_run = async_method(calls.start_run)
    run_sessions = async_method(calls.run_sessions)
    list_sessions = async_method(calls.list_sessions)
    get_session = async_method(calls.get_session)
    transcript = async_method(calls.transcript)
    transcripts = async_method(calls.transcripts)
    end_sessions = async_method(calls.end_sessions)
    delete_session = async_method(calls.delete_session)
    engine = async_method(calls.engine)
    drain_engine = async_method(calls.drain_engine)
    restore_engine = async_method(calls.restore_engine)
    pause_engine = async_method(calls.pause_engine)
    resume_engine = async_method(calls.resume_engine)
    weights = async_method(calls.weights)
    update_weights = async_method(calls.update_weights)
    begin_weights = async_method(calls.begin_weights)
    finish_weights = async_method(calls.finish_weights)
    abandon_weights = async_method(calls.abandon_weights)
    export_trajectories = async_method(calls.export_trajectories)
    export_batch = async_method(calls.export_batch)
    export_batch_to = async_method(calls.export_batch_to)
    export_sessions_to = async_method(calls.export_sessions_to)
    export_held_batch = async_method(calls.export_held_batch)
    export_shared_files = async_method(calls.export_shared_files)
    acknowledge = async_method(calls.acknowledge)

    async def run(self, call: Call[T]) -> T:
        """Sends a call of `rolltape.client.calls` and returns its result."""
        return await self._transport.run(call)

    def session(
        self,
        task_id: str | None = None,
        group_id: str | None = None,
        *,
        sampling_override: SamplingOverride | None = None,
        without_channels: Sequence[str] | None = None,
        split: Split | None = None,
        api_key: str | None = None,
    ) -> SessionStart:
        """Starts a session, which takes a slot: `async with client.session() as session`, or `await client.session()`.

        sampling_override: sampling parameters of each call of the session, instead of those of requests.
        without_channels: channels that the session does not record, although the server does, such as `routed_experts`.
        split: `eval` for an evaluation session, which exports of training sessions refuse.

        If the call is cancelled while it starts, the session is deleted. Raises CapacityError `no_capacity` if no slot is
        free.
        """
        call = calls.start_session(
            task_id,
            group_id,
            sampling_override=sampling_override,
            without_channels=without_channels,
            split=split,
            api_key=api_key,
        )
        return SessionStart(lambda: self._start(call))

    async def sessions(self, state: State | None = None, task_id: str | None = None) -> AsyncIterator[SessionRecord]:
        """Iterates over all sessions, oldest first, over as many pages as there are."""
        after = None
        while True:
            page = await self.list_sessions(state, task_id, after=after)
            for record in page["sessions"]:
                yield record
            after = page["next"]
            if not page["has_more"]:
                return

    def shared_batch(
        self, session_ids: Sequence[str], *, pin: bool = False, **options: Unpack[SharedOptions]
    ) -> AbstractAsyncContextManager[Batch]:
        """As Client.shared_batch, for `async with`."""
        check_pin(pin, options)

        async def export() -> SharedBatch:
            return SharedBatch(await self.run(calls.deliver_shared(session_ids, options)), options, pin)

        return AsyncSharedBatch(export, self.acknowledge)

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _start(self, call: Call[StartedSession]) -> AsyncSession:
        started = await self.run(call)
        return AsyncSession(self, started, await self._address(started))

    async def _address(self, started: StartedSession) -> str:
        if started.base_url is None:
            return self.url
        address = proxy_url(started.base_url)
        place = (address, started.worker_tag)
        if place not in self._workers:
            try:
                self._workers[place] = await self.run(worker_probe(started, address))
            except RolltapeError:
                self._workers[place] = False
        return address if self._workers[place] else self.url
