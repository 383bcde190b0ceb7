"""The start of a session with asyncio, which leaves none behind if it is cancelled."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from ..errors import RolltapeError
from .session import AsyncSession


class SessionStart:
    """Awaited, it returns the session; in `async with`, it also ends it."""

    def __init__(self, start: Callable[[], Awaitable[AsyncSession]]) -> None:
        self._start = start
        self._session: AsyncSession | None = None

    def __await__(self) -> Generator[Any, None, AsyncSession]:
        return self._started().__await__()

    async def __aenter__(self) -> AsyncSession:
        self._session = await self._started()
        return self._session

    async def __aexit__(self, *error: Any) -> None:
        if self._session is not None:
            await self._session.__aexit__(*error)

    async def _started(self) -> AsyncSession:
        # Not cancelled with its caller, because a session whose id nobody receives would exist until it expires.
        starting = asyncio.ensure_future(self._start())
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with contextlib.suppress(RolltapeError):
                await (await starting).delete()
            raise
