"""A batch in shared memory, from its export to its acknowledgement."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import NamedTuple

from ..batch import Batch
from .options import SharedOptions
from .pinned import SEGMENTS, wait_for_copies
from .records import SharedFile


class Delivery(NamedTuple):
    """The answer to an export into shared memory."""

    files: Sequence[SharedFile]
    # The batch itself, if the proxy is on another machine, and the id to acknowledge.
    streamed: Batch | None = None
    batch_id: str | None = None


class SharedBatch:
    """The files of an export. After its `with` block, `to_acknowledge` has the ids to acknowledge."""

    def __init__(self, delivery: Delivery, options: SharedOptions, pin: bool = False) -> None:
        files, self._streamed, batch_id = delivery
        self.to_acknowledge: list[str] = [file["id"] for file in files]
        if batch_id is not None:
            self.to_acknowledge.append(batch_id)
        self._files = files
        self._keeps_sessions = bool(options.get("acknowledge"))
        self._batch: Batch | None = None
        self._pin = pin

    def open(self) -> Batch:
        """Maps the only file, or returns the batch that was sent instead."""
        if self._streamed is not None:
            self._batch = self._streamed
            return self._batch
        if len(self._files) != 1:
            raise ValueError(f"The export has {len(self._files)} files. Pass `shard`, or use export_shared_files.")
        path = self._files[0]["path"]
        self._batch = Batch._of_block(SEGMENTS.open(path), path) if self._pin else Batch.open(path)
        return self._batch

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pin and self._batch is not None and self._streamed is None:
            wait_for_copies()
        in_use = self._batch is not None and not self._batch.close()
        lost = error is not None and self._keeps_sessions
        if lost:
            self.to_acknowledge = []
        if in_use or lost:
            # A file that its reader has unlinked is never reused by the proxy: arrays in use keep their content.
            for file in self._files:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(file["path"])


class AsyncSharedBatch(contextlib.AbstractAsyncContextManager[Batch]):
    """Exports a batch on entry; closes and acknowledges it on exit.

    It is a class, because asyncio closes all generators at once when the program ends. A generator here could be closed while
    the generator that uses it still reads the batch.
    """

    def __init__(
        self, export: Callable[[], Awaitable[SharedBatch]], acknowledge: Callable[[str], Awaitable[object]]
    ) -> None:
        self._export, self._acknowledge = export, acknowledge

    async def __aenter__(self) -> Batch:
        self._shared = await self._export()
        try:
            return self._shared.open()
        except BaseException:
            await self.__aexit__(*sys.exc_info())
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._shared.__exit__(kind, error, trace)
        finally:
            for batch_id in self._shared.to_acknowledge:
                await self._acknowledge(batch_id)


def check_pin(pin: bool, options: SharedOptions) -> None:
    if pin and options.get("shards") is not None:
        raise ValueError("`pin` cannot be combined with `shards`: other processes would read the same files.")
