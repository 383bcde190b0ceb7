"""Sends calls over httpx, blocking and with asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

import httpx

from .call import Call, Reply
from .exchange import BrokenConnection, Send, exchange, timed_out

T = TypeVar("T")

# Below the 72 seconds after which the proxy closes an idle connection.
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=30.0)


def proxy_url(address: str) -> str:
    """Returns the address to which paths are appended: without query, trailing slashes and `/v1`."""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"The address of a proxy must begin with http:// or https://; received {address!r}.")
    return f"{parts.scheme}://{parts.netloc}" + re.sub(r"/v1$", "", parts.path.rstrip("/"))


class SyncTransport:
    """Blocking HTTP. `http` is httpx's own client, for tests and unusual networks."""

    def __init__(self, url: str, key: str, http: httpx.Client | None = None) -> None:
        self._url, self._key = proxy_url(url), key
        # Variables such as HTTP_PROXY are ignored, because a Rolltape proxy is usually on this machine or in the same network.
        self._http = http or httpx.Client(limits=_LIMITS, trust_env=False)

    def run(self, call: Call[T]) -> T:
        """Sends the call, again if it may be, and returns its result."""
        steps = exchange(call)
        outcome: Reply | BrokenConnection | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(step, Send):
                outcome = self._send(call, step.deadline)
            else:
                time.sleep(step.seconds)
                outcome = None

    def close(self) -> None:
        self._http.close()

    def _send(self, call: Call[T], deadline: float) -> Reply | BrokenConnection:
        request = self._http.build_request(**_request(call, self._url, self._key, deadline))
        try:
            with contextlib.closing(self._http.send(request, stream=True)) as answer:
                _send_at_once(answer)
                body = _Body(call, answer)
                with body:
                    for chunk in _checked(answer.iter_bytes(), call, deadline):
                        body.write(chunk)
                return body.reply
        except httpx.TransportError as error:
            return _broken(call, error, request, deadline)


class AsyncTransport:
    """HTTP with asyncio. A cancelled call closes its connection."""

    def __init__(self, url: str, key: str, http: httpx.AsyncClient | None = None) -> None:
        self._url, self._key = proxy_url(url), key
        self._http = http or httpx.AsyncClient(limits=_LIMITS, trust_env=False)

    async def run(self, call: Call[T]) -> T:
        """Sends the call, again if it may be, and returns its result."""
        steps = exchange(call)
        outcome: Reply | BrokenConnection | None = None
        while True:
            try:
                step = steps.send(outcome)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(step, Send):
                outcome = await self._send_in_time(call, step.deadline)
            else:
                await asyncio.sleep(step.seconds)
                outcome = None

    async def close(self) -> None:
        await self._http.aclose()

    async def _send_in_time(self, call: Call[T], deadline: float) -> Reply | BrokenConnection:
        # Not wait_for: before Python 3.12 it ignores a cancellation that comes together with the answer.
        sending = asyncio.ensure_future(self._send(call, deadline))
        try:
            await asyncio.wait({sending}, timeout=max(0.0, deadline - time.monotonic()))
            is_late = not sending.done()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        if is_late:
            raise timed_out(call)
        return sending.result()

    async def _send(self, call: Call[T], deadline: float) -> Reply | BrokenConnection:
        request = self._http.build_request(**_request(call, self._url, self._key, deadline))
        try:
            async with contextlib.aclosing(await self._http.send(request, stream=True)) as answer:
                body = _Body(call, answer)
                with body:
                    async for chunk in answer.aiter_bytes():
                        body.write(chunk)
                return body.reply
        except httpx.TransportError as error:
            return _broken(call, error, request, deadline)


def _send_at_once(answer: httpx.Response) -> None:
    """Lets the next body on this connection follow its headers at once.

    httpcore sends headers and body one after the other. Version 0.16 (Debian 12) leaves TCP_NODELAY unset, so that the body
    waits for the acknowledgement of the headers: about 40 ms.
    """
    stream = answer.extensions.get("network_stream")
    connection = stream and stream.get_extra_info("socket")
    if connection and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _broken(call: Call[Any], error: httpx.TransportError, request: httpx.Request, deadline: float) -> BrokenConnection:
    """Raises instead if the connection broke because the time is over."""
    if isinstance(error, httpx.TimeoutException) and time.monotonic() >= deadline:
        raise timed_out(call) from error
    return BrokenConnection(_why(error, request))


class _Body:
    """Collects a body in memory, or in the call's file if the call succeeded."""

    def __init__(self, call: Call[Any], answer: httpx.Response) -> None:
        self._file: IO[bytes] | None = None
        self._path = call.file if call.file is not None and answer.status_code < 300 else None
        # A bytearray, because PyTorch wants to be able to write to the memory of its tensors.
        self._bytes = bytearray()
        self.reply = Reply(answer.status_code, _lower(answer.headers), self._bytes)

    def __enter__(self) -> None:
        if self._path is not None:
            self._file = open(self._path, "wb")

    def write(self, chunk: bytes) -> None:
        if self._file is None:
            self._bytes += chunk
        else:
            self._file.write(chunk)

    def __exit__(self, kind: object, *_: object) -> None:
        if self._file is None:
            return
        with self._file:
            if kind is None:
                self._file.flush()
                os.fsync(self._file.fileno())


def _request(call: Call[Any], url: str, key: str, deadline: float) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key if call.key is None else call.key}", "accept-encoding": "identity"}
    if call.x_session_id is not None:
        headers["x-session-id"] = call.x_session_id
    request: dict[str, Any] = {
        "method": call.method,
        "url": (call.base_url or url) + call.path,
        "headers": headers,
        "params": call.query,
        "timeout": max(0.001, deadline - time.monotonic()),
    }
    if call.method == "POST":
        request["json"] = {} if call.body is None else call.body
    return request


def _checked(chunks: Iterator[bytes], call: Call[Any], deadline: float) -> Iterator[bytes]:
    """Yields the chunks until the deadline, because httpx limits the time between two chunks, not that of the whole answer."""
    for chunk in chunks:
        if time.monotonic() >= deadline:
            raise timed_out(call)
        yield chunk


def _lower(headers: httpx.Headers) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _why(error: Exception, request: httpx.Request) -> str:
    """Says what happened and where: httpx's own messages name no address. `netloc` has no user name and password."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what} ({request.url.scheme}://{request.url.netloc.decode()})"
