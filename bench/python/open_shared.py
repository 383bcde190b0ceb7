"""Opens batches in shared memory with the standard library alone, as a trainer in another process would.

    open_shared.py URL KEY

For each line on standard input, one JSON object, answers one line of JSON. `{"body"}`: posts `body` to /export_batch,
maps the file that the answer names and makes a typed view of every tensor: {"status", "seconds", "bytes",
"tensors"}; no element is read. `{"checksums": true}`: the SHA-256 of each tensor. `{"acknowledge": true}`: gives the
file back to the server.
"""

import http.client
import json
import mmap
import os
import struct
import sys
import time
from urllib.parse import quote, urlsplit

from tensor_checksums import tensor_checksums

FORMATS = {"I32": "i", "F32": "f", "BOOL": "B"}
HEADERS = {"content-type": "application/json", "authorization": f"Bearer {sys.argv[2]}"}

connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc)


def call(method: str, path: str, body: str | None = None) -> tuple[int, dict]:
    connection.request(method, path, body, HEADERS)
    response = connection.getresponse()
    text = response.read()
    return response.status, json.loads(text) if text else {}


class Mapping:
    """One batch: safetensors, https://huggingface.co/docs/safetensors."""

    def __init__(self, path: str) -> None:
        file = os.open(path, os.O_RDONLY)
        try:
            self.bytes = mmap.mmap(file, 0, prot=mmap.PROT_READ)
        finally:
            os.close(file)
        (length,) = struct.unpack_from("<Q", self.bytes)
        header = json.loads(self.bytes[8 : 8 + length])
        header.pop("__metadata__", None)
        data = memoryview(self.bytes)[8 + length :]
        self.tensors = {
            name: data[slice(*tensor["data_offsets"])].cast(FORMATS[tensor["dtype"]])
            for name, tensor in header.items()
        }


def main() -> None:
    mapping: Mapping | None = None
    identifier = ""
    for line in sys.stdin:
        request = json.loads(line)
        if "body" in request:
            started = time.perf_counter()
            status, reply = call("POST", "/export_batch", request["body"])
            answer = {"status": status}
            if status == 200:
                mapping = Mapping(reply["path"])
                seconds = time.perf_counter() - started
                identifier = reply["id"]
                answer |= {"seconds": seconds, "bytes": len(mapping.bytes), "tensors": len(mapping.tensors)}
        elif "checksums" in request:
            answer = tensor_checksums(memoryview(mapping.bytes)) if mapping else {}
        else:
            mapping = None
            status, _ = call("DELETE", f"/export_batch/{quote(identifier)}")
            answer = {"status": status}
        print(json.dumps(answer))


main()
