"""An async iterator whose clean-up always runs."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

P = ParamSpec("P")
T = TypeVar("T")

_open: WeakKeyDictionary[asyncio.AbstractEventLoop, set[Any]] = WeakKeyDictionary()
"""For each event loop, the generators that have begun and not ended, and the tasks that close them."""


class ClosingIterator(AsyncIterator[T], Generic[T]):
    """An async generator that is closed once this iterator is no longer referenced.

    asyncio does the same for a plain generator, in a task. But after an exception in the body of `async for`, `asyncio.run`
    cancels that task before it begins, and the clean-up fails with "coroutine ignored GeneratorExit" instead of running.
    Here, the generator stays referenced until it has ended. So `asyncio.run` closes it, after it has cancelled all tasks.
    """

    def __init__(self, generator: AsyncGenerator[T, None]) -> None:
        self._generator = generator
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __anext__(self) -> T:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            _open.setdefault(self._loop, set()).add(self._generator)
        try:
            return await self._generator.__anext__()
        except BaseException:
            _open[self._loop].discard(self._generator)
            raise

    async def aclose(self) -> None:
        """Closes the generator and waits for its clean-up. Use it through `contextlib.aclosing`."""
        await self._generator.aclose()
        if self._loop is not None:
            _open[self._loop].discard(self._generator)

    def __del__(self) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed() and self._generator in _open[loop]:
            loop.call_soon_threadsafe(_close_in_task, loop, self._generator)


def _close_in_task(loop: asyncio.AbstractEventLoop, generator: AsyncGenerator[Any, None]) -> None:
    running = _open[loop]

    async def close() -> None:
        await generator.aclose()
        running.discard(generator)

    task = loop.create_task(close())
    running.add(task)
    task.add_done_callback(running.discard)


def closing(function: Callable[P, AsyncGenerator[T, None]]) -> Callable[P, ClosingIterator[T]]:
    """Makes a function that is written as an async generator return a ClosingIterator."""

    @functools.wraps(function)
    def iterate(*args: P.args, **kwargs: P.kwargs) -> ClosingIterator[T]:
        return ClosingIterator(function(*args, **kwargs))

    return iterate
