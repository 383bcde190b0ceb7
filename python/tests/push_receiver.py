"""An engine server in SGLang's form that receives tensors over gloo. usage: push_receiver.py FAULT

Prints its port. FAULT: `none`, or the call that fails: `join`, `start` (a session is open), `update`, `hang` (no answer to a
bucket). Answers have the form of SGLang 0.5.23's.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import torch

from rolltape.weights.groups import join_store, join_torch_group

fault = sys.argv[1]
groups: dict[str, Any] = {}
received: list[list[Any]] = []
calls: list[str] = []
session_is_open = fault == "start"


def refuse(message: str) -> tuple[int, dict[str, Any]]:
    return 400, {"success": False, "message": message}


def answer(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    global session_is_open
    if path == "/server_info":
        return 200, {"tp_size": 1}
    if path == "/received":
        return 200, {"tensors": received, "calls": calls}
    calls.append(path)
    if path == "/init_weights_update_group":
        if fault == "join":
            return refuse("Failed to initialize custom process group: no device.")
        limit = timedelta(seconds=60)
        store = join_store(body["master_address"], body["master_port"], body["world_size"], limit)
        name, rank = body["group_name"], body["rank_offset"]
        groups[name] = join_torch_group(body["backend"], name, store, rank, body["world_size"], limit)
    elif path == "/begin_weight_update":
        if session_is_open:
            return refuse("a weight-update session is already open; call end_weight_update() first")
        session_is_open = True
    elif path == "/end_weight_update":
        session_is_open = False
    elif path == "/update_weights_from_distributed":
        if fault == "hang":
            threading.Event().wait()
        if fault == "update":
            return refuse("Failed to receive weights: out of memory")
        receive(body)
    elif path == "/destroy_weights_update_group" and body["group_name"] in groups:
        torch.distributed.destroy_process_group(groups.pop(body["group_name"]))
    return 200, {"success": True, "message": "Success"}


def receive(body: dict[str, Any]) -> None:
    dtypes = [getattr(torch, dtype) for dtype in body["dtypes"]]
    sizes = [torch.Size(shape).numel() * dtype.itemsize for shape, dtype in zip(body["shapes"], dtypes, strict=True)]
    packed = torch.empty(sum(sizes), dtype=torch.uint8)
    torch.distributed.broadcast(packed, src=0, group=groups[body["group_name"]])
    offset = 0
    for name, dtype, shape, size in zip(body["names"], dtypes, body["shapes"], sizes, strict=True):
        digest = hashlib.sha256(packed[offset : offset + size].numpy().tobytes()).hexdigest()
        received.append([name, str(dtype), shape, digest])
        offset += size
    received.append(["end of bucket", "", [], ""])


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._reply(*answer(self.path, {}))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            self._reply(*answer(self.path, body))
        except Exception as error:
            self._reply(*refuse(f"Failed to receive weights: {error}"))

    def log_message(self, *_: Any) -> None:
        pass

    def _reply(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
