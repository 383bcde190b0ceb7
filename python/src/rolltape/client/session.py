"""One session of a proxy, for code with and without asyncio."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from ..errors import AuthenticationError, RolltapeError
from . import calls
from .started_session import StartedSession

if TYPE_CHECKING:
    from .async_client import AsyncClient
    from .sync_client import Client


class _Started:
    """session_id: its id. api_key: the agent's key. base_url: the address for model calls, without `/v1`."""

    def __init__(self, started: StartedSession, base_url: str) -> None:
        self.session_id = started.session_id
        self.api_key = started.api_key
        self.base_url = base_url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.session_id!r}, base_url={self.base_url!r})"


class Session(_Started):
    """A session. Leaving its `with` block ends it, also after an exception; its data stays until an export or `delete`."""

    def __init__(self, client: Client, started: StartedSession, base_url: str) -> None:
        super().__init__(started, base_url)
        self._client = client

    def set_reward(self, reward: float, interaction_id: str | None = None) -> str:
        """Rewards an interaction (default: the last completed call), and returns its id."""
        return self._client.run(calls.set_reward(reward, api_key=self.api_key, interaction_id=interaction_id))

    def set_session_reward(self, reward: float) -> None:
        """Rewards the session as a whole, in addition to the rewards of its calls."""
        self._client.run(calls.set_session_reward(reward, api_key=self.api_key))

    def end(self) -> int:
        """Ends the session: it accepts no more model calls. Returns how many it has recorded."""
        return self._client.run(calls.end_session(api_key=self.api_key))

    def delete(self) -> bool:
        """Aborts the session's calls and frees its data. Returns false if it no longer exists."""
        return self._client.delete_session(self.session_id)

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.end()
        except RolltapeError as failure:
            if not _is_harmless(failure, error):
                raise


class AsyncSession(_Started):
    """As Session, with coroutines. Leaving its `async with` block ends it, also after an exception."""

    def __init__(self, client: AsyncClient, started: StartedSession, base_url: str) -> None:
        super().__init__(started, base_url)
        self._client = client

    async def set_reward(self, reward: float, interaction_id: str | None = None) -> str:
        """Rewards an interaction (default: the last completed call), and returns its id."""
        return await self._client.run(calls.set_reward(reward, api_key=self.api_key, interaction_id=interaction_id))

    async def set_session_reward(self, reward: float) -> None:
        """Rewards the session as a whole, in addition to the rewards of its calls."""
        await self._client.run(calls.set_session_reward(reward, api_key=self.api_key))

    async def end(self) -> int:
        """Ends the session: it accepts no more model calls. Returns how many it has recorded."""
        return await self._client.run(calls.end_session(api_key=self.api_key))

    async def delete(self) -> bool:
        """Aborts the session's calls and frees its data. Returns false if it no longer exists."""
        return await self._client.delete_session(self.session_id)

    async def __aenter__(self) -> AsyncSession:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.end()
        except RolltapeError as failure:
            if not _is_harmless(failure, error):
                raise


def _is_harmless(failure: RolltapeError, error: BaseException | None) -> bool:
    """Returns true if the key is revoked, because the session is already over, or if the failure of `end` would hide the
    error that the block raised."""
    return error is not None or (isinstance(failure, AuthenticationError) and failure.code == "invalid_api_key")
