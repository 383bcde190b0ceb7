"""A real server with the embedded tiny model, once for each module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rolltape import Client, Server, serve
from support import COMMAND, REPOSITORY


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if not COMMAND.exists():
        pytest.fail(f"{COMMAND} does not exist: run `npm ci && npm run build` in {REPOSITORY}")
    shared = tmp_path_factory.mktemp("shared")
    settings = {
        "server.shared_memory_directory": str(shared),
        "server.shutdown_seconds": 0,
        "server.log_level": "warn",
    }
    with serve(settings, command=COMMAND) as running:
        running.ready["shared"] = str(shared)
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.url, server.admin_key) as client:
        # Sessions of the module's own fixtures stay.
        before = {record["session_id"] for record in client.sessions()}
        yield client
        for record in list(client.sessions()):
            if record["session_id"] not in before:
                client.delete_session(record["session_id"])
