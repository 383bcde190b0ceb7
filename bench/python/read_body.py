"""Reads HTTP bodies into one buffer that is allocated before, as a trainer would.

    read_body.py CAPACITY

For each line on standard input, a JSON object {"url", "path", "body", "key"}, posts `body` over a connection that is
kept, and answers {"seconds", "bytes"}: from the request to the last byte. `{"checksums": true}` answers the SHA-256 of
each tensor of the batch that was read last.
"""

import http.client
import json
import sys
import time
from urllib.parse import urlsplit

from tensor_checksums import tensor_checksums

buffer = memoryview(bytearray(b"\x01" * int(sys.argv[1])))
connections: dict[str, http.client.HTTPConnection] = {}
size = 0


def post(url: str, path: str, body: str, key: str) -> dict[str, float]:
    global size
    connection = connections.setdefault(url, http.client.HTTPConnection(urlsplit(url).netloc))
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
