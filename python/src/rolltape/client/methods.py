"""Turns the functions of `calls` into methods of the two clients."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from .call import Call

P = ParamSpec("P")
T = TypeVar("T")


class SendsCalls(Protocol):
    """A client that sends calls and blocks until they are answered."""

    def run(self, call: Call[T]) -> T: ...


class AwaitsCalls(Protocol):
    """A client that sends calls with asyncio."""

    async def run(self, call: Call[T]) -> T: ...


def method(describe: Callable[P, Call[T]]) -> Callable[Concatenate[SendsCalls, P], T]:
    """Returns a method that sends the call and returns its result."""

    @functools.wraps(describe)
    def send(self: SendsCalls, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.run(describe(*args, **kwargs))

    return send


def async_method(describe: Callable[P, Call[T]]) -> Callable[Concatenate[AwaitsCalls, P], Awaitable[T]]:
    """Returns a coroutine method that sends the call and returns its result."""

    @functools.wraps(describe)
    async def send(self: AwaitsCalls, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(describe(*args, **kwargs))

    return send
