"""Produces groups without end, as fast as the trainer takes their rows."""

from __future__ import annotations

import asyncio
import itertools
import queue
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, cast

from ..client import AsyncClient
from .metrics import Metrics
from .produce_group import GroupFailed, TrainedRow, produce_group
from .settings import WorkerSettings

# How often a producer looks for room in a full buffer, and how often the heartbeat is sent.
_POLL_SECONDS = 0.05
_BEAT_SECONDS = 0.5
_RETRY_SECONDS = 0.25
_MAX_RETRY_SECONDS = 10.0


def repeat_tasks(tasks: Iterable[Any]) -> Iterator[Any]:
    """Returns the tasks of a sequence again and again, those of any other iterable once."""
    # datasets.Dataset is no Sequence.
    if not (hasattr(tasks, "__len__") and hasattr(tasks, "__getitem__")):
        return iter(tasks)
    sequence = cast("Sequence[Any]", tasks)
    if len(sequence) == 0:
        raise ValueError("tasks must have at least one task.")
    return (sequence[index] for _ in itertools.count() for index in range(len(sequence)))


class Producer:
    """Runs `settings.groups` groups at once, and puts each row into the buffer. A full buffer holds new groups back.

    beat: called twice a second while the event loop runs, whatever the agents do.
    """

    def __init__(
        self,
        *,
        settings: WorkerSettings,
        tasks: Iterator[Any],
        buffer: queue.Queue[Any],
        metrics: Metrics,
        to_sample: Callable[[TrainedRow, int], Any],
        version: Callable[[], int],
        beat: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._tasks = tasks
        self._buffer = buffer
        self._metrics = metrics
        self._to_sample = to_sample
        self._version = version
        self._beat = beat
        self._numbers = itertools.count()
        self._failures_in_a_row = 0
        self._running = 0

    async def run(self, client: AsyncClient) -> None:
        """Returns when there are no tasks left. Raises the first error that a retry cannot fix, and ends all groups."""
        heart = asyncio.ensure_future(self._beats())
        producers = [asyncio.ensure_future(self._produce(client)) for _ in range(self._settings.groups)]
        try:
            done, _ = await asyncio.wait(producers, return_when=asyncio.FIRST_EXCEPTION)
            for producer in done:
                producer.result()
        finally:
            # Once only: a second cancellation would interrupt a group that deletes its sessions.
            for task in (heart, *producers):
                task.cancel()
            await asyncio.gather(heart, *producers, return_exceptions=True)
            self._metrics.flush()

    async def _beats(self) -> None:
        while True:
            self._beat()
            await asyncio.sleep(_BEAT_SECONDS)

    async def _produce(self, client: AsyncClient) -> None:
        for task in self._tasks:
            number = next(self._numbers)
            self._running += 1
            self._metrics.gauge("running_groups", float(self._running))
            try:
                rows = await produce_group(client, task, self._settings, self._metrics)
                self._failures_in_a_row = 0
            except GroupFailed as failure:
                await self._after_failure(failure)
                rows = []
            finally:
                self._running -= 1
            waited = await self._put_group(rows, number)
            self._metrics.rate("backpressure_s", waited, 1.0)
            self._metrics.flush()

    async def _after_failure(self, failure: GroupFailed) -> None:
        """Waits longer after each failure in a row, so that a restart of the proxy does not end the training."""
        self._metrics.count("failed_groups")
        self._metrics.flush()
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= self._settings.max_failed_groups:
            raise GroupFailed(f"{self._failures_in_a_row} groups in a row failed. The last one: {failure}") from (
                failure.__cause__ or failure
            )
        await asyncio.sleep(min(_RETRY_SECONDS * self._failures_in_a_row, _MAX_RETRY_SECONDS))

    async def _put_group(self, rows: Sequence[TrainedRow], number: int) -> float:
        """Puts the rows of a group as soon as there is room, unless the group is too old when the first one finds room.

        Returns how many seconds it waited.
        """
        began = time.monotonic()
        while rows and self._buffer.full():
            await asyncio.sleep(_POLL_SECONDS)
        oldest = min((row.row.version for row in rows), default=0)
        limit = self._settings.max_staleness
        if limit is not None and self._version() - oldest > limit:
            self._metrics.count("stale_rows", len(rows))
            rows = []
        for row in rows:
            await self._put(row, number)
        return time.monotonic() - began

    async def _put(self, row: TrainedRow, number: int) -> None:
        while True:
            try:
                self._buffer.put_nowait(self._to_sample(row, number))
            except queue.Full:
                await asyncio.sleep(_POLL_SECONDS)
                continue
            age = max(0, self._version() - row.row.version)
            self._metrics.rate("staleness_mean", age, 1.0)
            self._metrics.gauge_max("staleness", age)
            return
