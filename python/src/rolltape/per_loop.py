"""A resource that is opened once in each event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary, WeakSet

T = TypeVar("T")

CLOSE_SECONDS = 10.0
"""How long a resource stays open for the tasks that end with their loop."""

# Keepers do not wait for each other.
_all_keepers: WeakSet[asyncio.Task[None]] = WeakSet()


class PerLoop(Generic[T]):
    """Opens a resource when it is first asked for in an event loop. `asyncio.run` closes it when it cancels all tasks."""

    def __init__(self, open_resource: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._open = open_resource
        self._resources: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Future[T]] = WeakKeyDictionary()
        # The loop itself has only weak references to its tasks.
        self._keepers: set[asyncio.Task[None]] = set()

    async def get(self) -> T:
        loop = asyncio.get_running_loop()
        resource = self._resources.get(loop)
        if resource is None:
            resource = self._resources[loop] = loop.create_future()
            # A task of its own, because some resources must be closed by the task that opened them.
            keeper = loop.create_task(self._keep(resource))
            self._keepers.add(keeper)
            _all_keepers.add(keeper)
            keeper.add_done_callback(self._keepers.discard)
        return await asyncio.shield(resource)

    async def _keep(self, resource: asyncio.Future[T]) -> None:
        try:
            async with self._open() as opened:
                resource.set_result(opened)
                await self._until_the_loop_ends()
        except Exception as error:
            # The next episode tries it again.
            del self._resources[asyncio.get_running_loop()]
            resource.set_exception(error)

    async def _until_the_loop_ends(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            # asyncio.run cancels all tasks at once. The others still need the resource, to delete their sessions.
            others = asyncio.all_tasks().difference(_all_keepers)
            if others:
                await asyncio.wait(others, timeout=CLOSE_SECONDS)
