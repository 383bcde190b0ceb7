"""Resources that are opened once in each event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rolltape.per_loop import PerLoop


def test_a_resource_is_opened_once_in_each_loop_and_closed_with_it() -> None:
    events: list[str] = []

    @asynccontextmanager
    async def open_resource() -> AsyncIterator[int]:
        events.append("open")
        await asyncio.sleep(0)
        opener = asyncio.current_task()
        try:
            yield events.count("open")
        finally:
            assert asyncio.current_task() is opener
            events.append("close")

    resources = PerLoop(open_resource)

    async def main() -> list[int]:
        values = await asyncio.gather(resources.get(), resources.get())
        events.append("used")
        return [*values, await resources.get()]

    assert asyncio.run(main()) == [1, 1, 1]
    assert asyncio.run(main()) == [2, 2, 2]
    assert events == ["open", "used", "close"] * 2


def test_a_resource_that_failed_to_open_is_opened_again() -> None:
    attempts = 0

    @asynccontextmanager
    async def open_resource() -> AsyncIterator[str]:
        nonlocal attempts
        attempts += 1
        if attempts == 1:
            raise OSError("no port is free")
        yield "opened"

    resources = PerLoop(open_resource)

    async def main() -> str:
        with pytest.raises(OSError, match="no port is free"):
            await resources.get()
        return await resources.get()

    assert asyncio.run(main()) == "opened"


def test_an_episode_that_is_cancelled_while_a_resource_opens_leaves_it_to_others() -> None:
    async def main() -> str:
        may_open = asyncio.Event()

        @asynccontextmanager
        async def open_resource() -> AsyncIterator[str]:
            await may_open.wait()
            yield "opened"

        resources = PerLoop(open_resource)
        first = asyncio.ensure_future(resources.get())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait({first})
        assert first.cancelled()
        may_open.set()
        return await resources.get()

    assert asyncio.run(main()) == "opened"


def test_a_resource_stays_open_for_tasks_that_end_with_their_loop() -> None:
    events: list[str] = []

    @asynccontextmanager
    async def open_resource() -> AsyncIterator[None]:
        try:
            yield
        finally:
            events.append("close")

    resources, others = PerLoop(open_resource), PerLoop(open_resource)

    async def episode() -> None:
        await asyncio.gather(resources.get(), others.get())
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            events.append("session deleted")

    async def main() -> asyncio.Task[None]:
        running = asyncio.ensure_future(episode())
        await asyncio.sleep(0.01)
        return running

    asyncio.run(main())
    assert events == ["session deleted", "close", "close"]
