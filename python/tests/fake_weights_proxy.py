"""A proxy that only knows weight updates, whose answers a test chooses."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "admin-key-of-a-test"


def record(state: str = "idle", version: int = 0, **fields: Any) -> dict[str, Any]:
    """A record of docs/reference/http-api.md."""
    server = {"url": "http://engine", "version": version, "state": "loaded", "seconds": 0.1, "error": None}
    return {
        "state": state,
        "version": version,
        "target_version": None,
        "mode": None,
        "path": None,
        "started_at": None,
        "paused_seconds": None,
        "error": None,
        "servers": [server],
        **fields,
    }


class FakeWeightsProxy:
    """calls: method, path and body of each call, in order. answers: what the next calls are answered, first to last."""

    def __init__(self) -> None:
        self.url = ""
        self.calls: list[tuple[str, str, dict[str, Any]]] = []
        self.answers: list[tuple[int, dict[str, Any]]] = []

    def answer(self, status: int, body: dict[str, Any]) -> None:
        self.answers.append((status, body))

    @property
    def paths(self) -> list[str]:
        return [f"{method} {path}" for method, path, _ in self.calls]


@contextmanager
def fake_weights_proxy() -> Iterator[FakeWeightsProxy]:
    proxy = FakeWeightsProxy()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply({})

        def do_DELETE(self) -> None:
            self._reply({})

        def do_POST(self) -> None:
            self._reply(json.loads(self.rfile.read(int(self.headers["content-length"] or 0)) or b"{}"))

        def log_message(self, *_: Any) -> None:
            pass

        def _reply(self, body: dict[str, Any]) -> None:
            proxy.calls.append((self.command, self.path, body))
            status, answer = proxy.answers.pop(0)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield proxy
        finally:
            server.shutdown()
            thread.join()
