"""Runs groups ahead of the trainer, as far as the staleness allows, and hands them out in batches."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import RolltapeError
from ..groups import EpisodeRunner, Group
from .evaluation import delete_sessions

_log = logging.getLogger(__name__)


@dataclass
class _Running:
    """began: number of steps that had ended when the group began."""

    index: int
    began: int
    future: asyncio.Future[list[Group]]


class TaskPool:
    """Groups that run or wait for the trainer.

    Groups start in the order of the tasks. At most (`max_staleness` + 1) * `batch_tasks` groups run, wait or are trained on
    at a time. A step also waits for a group that would be too old for the next step. So no group begins more than
    `max_staleness` steps before the step that trains on it.
    """

    def __init__(
        self,
        runner: EpisodeRunner,
        tasks: Iterator[tuple[int, Any]],
        *,
        n: int,
        batch_tasks: int,
        max_staleness: int,
        min_accepted: int,
        max_failed_groups: int,
        ended_steps: int,
    ) -> None:
        self._runner, self._tasks, self._n = runner, tasks, n
        self._batch_tasks, self._max_staleness = batch_tasks, max_staleness
        self._min_accepted, self._max_failed = min_accepted, max_failed_groups
        self._ended = self._first = ended_steps
        self._running: list[_Running] = []
        self._waiting: list[tuple[int, Group]] = []
        self._taken = 0
        self._failed_in_a_row = 0
        self._exhausted = False
        self._warned: set[type[BaseException]] = set()
        self.dropped: list[Group] = []

    def end_step(self) -> None:
        """Makes room for the groups of a further step."""
        self._ended += 1
        self._fill()

    async def take(self) -> tuple[list[Group], list[int]]:
        """Waits for the groups of the next step. Returns them, and how many steps had ended since each began.

        Returns none if there are no more tasks. Raises RolltapeError `groups_failed` if too many groups in a row failed.
        """
        self._fill()
        while not self._is_ready():
            await asyncio.wait([each.future for each in self._running], return_when=asyncio.FIRST_COMPLETED)
            await self._collect()
            self._fill()
        self._waiting.sort(key=lambda waiting: (waiting[0], waiting[1].index))
        taken, self._waiting = self._waiting[: self._batch_tasks], self._waiting[self._batch_tasks :]
        self._taken += len(taken)
        return [group for _, group in taken], [self._ended - began for began, _ in taken]

    async def close(self) -> None:
        """Stops the groups that run, and deletes the sessions of those that wait."""
        for each in self._running:
            each.future.cancel()
        results = await asyncio.gather(*(each.future for each in self._running), return_exceptions=True)
        # A group that had just ended was not cancelled.
        ended = [group for result in results if not isinstance(result, BaseException) for group in result]
        await delete_sessions(self._runner, [*(group for _, group in self._waiting), *ended])

    def _is_ready(self) -> bool:
        if not self._running:
            return len(self._waiting) >= self._batch_tasks or self._exhausted
        # Groups that began earlier than this would be too old for the step after the next one.
        oldest = self._ended - self._max_staleness
        return len(self._waiting) >= self._batch_tasks and all(each.began > oldest for each in self._running)

    def _fill(self) -> None:
        limit = (self._max_staleness + self._ended - self._first + 1) * self._batch_tasks
        while not self._exhausted and self._taken + len(self._waiting) + len(self._running) < limit:
            index_and_task = next(self._tasks, None)
            if index_and_task is None:
                self._exhausted = True
                return
            future = asyncio.ensure_future(self._runner.run([index_and_task], self._n))
            self._running.append(_Running(index_and_task[0], self._ended, future))

    def _warn(self, group: Group) -> None:
        """Warns of the first error of each type."""
        for error in group.errors:
            if type(error) not in self._warned:
                self._warned.add(type(error))
                _log.warning("An episode of task %d failed: %r", group.index, error)

    async def _collect(self) -> None:
        for each in [each for each in self._running if each.future.done()]:
            self._running.remove(each)
            (group,) = each.future.result()
            if len(group.session_ids) >= self._min_accepted:
                self._failed_in_a_row = 0
                self._waiting.append((each.began, group))
                continue
            self.dropped.append(group)
            self._warn(group)
            self._failed_in_a_row += 1
            await delete_sessions(self._runner, [group])
            if self._failed_in_a_row >= self._max_failed:
                raise RolltapeError(
                    "groups_failed",
                    f"{self._failed_in_a_row} groups in a row had fewer than {self._min_accepted} accepted episodes.",
                ) from next(iter(group.errors), None)
