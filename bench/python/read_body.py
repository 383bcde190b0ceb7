"""Reads HTTP bodies into one buffer that is allocated before, as a trainer would.

    read_body.py CAPACITY

For each line on standard input, a JSON object {"url", "path", "body", "key"}, posts `body` over a connection that is
kept, and answers {"seconds", "bytes"}: from the request to the last byte. `{"checksums": true}` answers the SHA-256 of
each tensor of the batch that was read last. A `url` of the form `unix:PATH` is a Unix socket.
"""

import http.client
import json
import socket
import sys
import time
from urllib.parse import urlsplit

from tensor_checksums import tensor_checksums

buffer = memoryview(bytearray(b"\x01" * int(sys.argv[1])))
connections: dict[str, http.client.HTTPConnection] = {}
size = 0


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


def open_connection(url: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    return UnixConnection(parts.path) if parts.scheme == "unix" else http.client.HTTPConnection(parts.netloc)


def post(url: str, path: str, body: str, key: str) -> dict[str, float]:
    global size
    connection = connections.setdefault(url, open_connection(url))
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    started = time.perf_counter()
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"{path} answered {response.status}: {response.read().decode()}")
    size = 0
    while count := response.readinto(buffer[size:]):
        size += count
    return {"seconds": time.perf_counter() - started, "bytes": size}


for line in sys.stdin:
    request = json.loads(line)
    if "checksums" in request:
        answer = tensor_checksums(buffer[:size])
    else:
        answer = post(request["url"], request["path"], request["body"], request["key"])
    print(json.dumps(answer))
