"""Runs a function in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def run_in_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Returns what the function returns.

    The thread is a daemon: if the caller is cancelled, the function runs on without delaying the end of the process. The
    threads of asyncio.to_thread would, and there are only a few of them.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = context.run(function, *args, **kwargs)
        except StopIteration as stop:
            # A future refuses it.
            error = RuntimeError(f"The function raised StopIteration({stop.value!r}).")
        except BaseException as raised:
            error = raised
        # The loop is closed if nobody waits any more.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, name=f"rolltape-{getattr(function, '__name__', 'agent')}", daemon=True).start()
    return await future
