"""The part of HTTP/1.1 that an engine's clients use: requests with a length, one after another on a connection."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any


@dataclass(frozen=True)
class Request:
    """Names of headers are lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    status: int
    body: bytes = b""
    content_type: str | None = None

    @staticmethod
    def of_json(value: Any, status: int = 200) -> Response:
        return Response(status, json.dumps(value).encode(), "application/json")

    def encode(self) -> bytes:
        type_line = "" if self.content_type is None else f"content-type: {self.content_type}\r\n"
        status_line = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}\r\n"
        return f"{status_line}{type_line}content-length: {len(self.body)}\r\n\r\n".encode() + self.body


Answer = Callable[[Request, "asyncio.Future[Any]"], Awaitable[Response]]
"""Answers a request. The future is done when the client has gone."""


class Connection:
    """One connection of a client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def serve(self, answer: Answer) -> None:
        try:
            while await self._answer_next(answer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writer.close()

    async def _answer_next(self, answer: Answer) -> bool:
        """Returns false if the client has gone meanwhile."""
        request = await self._read()
        # A client sends no second request before the answer, so what comes now is the end of the connection.
        gone = asyncio.ensure_future(self._reader.read(1))
        try:
            response = await answer(request, gone)
        except (KeyError, ValueError) as error:
            response = Response.of_json({"error": {"message": f"{type(error).__name__}: {error}"}}, 400)
        if gone.done():
            return False
        gone.cancel()
        await asyncio.wait({gone})
        self._writer.write(response.encode())
        await self._writer.drain()
        return True

    async def _read(self) -> Request:
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, path, _ = first.split(" ")
        fields = (line.partition(":") for line in lines)
        headers = {name.lower(): value.strip() for name, _, value in fields}
        return Request(method, path, headers, await self._reader.readexactly(int(headers.get("content-length", 0))))
