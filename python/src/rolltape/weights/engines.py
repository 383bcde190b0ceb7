"""The calls with which engine servers receive tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from .buckets import Bucket


@dataclass(frozen=True)
class Membership:
    """Place of a server in the group. Its processes have the ranks from `first_rank` on; the trainer has rank 0."""

    name: str
    address: str
    port: int
    backend: str
    first_rank: int
    world_size: int
    bucket_bytes: int


class EngineProtocol(Protocol):
    """The calls of an engine. Each raises EngineCallError if the server refuses it.

    A server answers `join` when the group is complete, and `update` when it has received and loaded the bucket.
    """

    def count_processes(self, server: EngineServer) -> int: ...
    def join(self, server: EngineServer, membership: Membership) -> None: ...
    def leave(self, server: EngineServer, membership: Membership) -> None: ...
    def start(self, server: EngineServer) -> None: ...
    def update(self, server: EngineServer, membership: Membership, bucket: Bucket) -> None: ...
    def finish(self, server: EngineServer) -> None: ...


class EngineCallError(Exception):
    """An engine server cannot be reached, or refused a call."""


class EngineServer:
    """Calls one engine server. timeout: seconds of a call."""

    def __init__(self, url: str, api_key: str | None, timeout: float) -> None:
        self.url = url.rstrip("/")
        headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}
        self._http = httpx.Client(headers=headers, timeout=timeout, trust_env=False)

    def get(self, path: str) -> Any:
        return self._call("GET", path, None)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        return self._call("POST", path, {} if body is None else body)

    def close(self) -> None:
        self._http.close()

    def _call(self, method: str, path: str, body: Mapping[str, object] | None) -> Any:
        try:
            response = self._http.request(method, f"{self.url}{path}", json=body)
        except httpx.HTTPError as error:
            raise EngineCallError(f"{path} failed: {str(error) or type(error).__name__}.") from error
        if response.status_code != 200:
            raise EngineCallError(f"{path} answered {response.status_code}: {response.text[:500]}")
        return response.json()


class VllmProtocol:
    """vLLM 0.32, with `VLLM_SERVER_DEV_MODE=1` and `--weight-transfer-config`."""

    def count_processes(self, server: EngineServer) -> int:
        return int(server.get("/get_world_size")["world_size"])

    def join(self, server: EngineServer, membership: Membership) -> None:
        info: dict[str, object] = {
            "master_address": membership.address,
            "master_port": membership.port,
            "rank_offset": membership.first_rank,
            "world_size": membership.world_size,
            # A bucket is then received as one tensor.
            "packed": True,
            "packed_buffer_size_bytes": membership.bucket_bytes,
        }
        if membership.backend == "gloo":
            info["group_name"] = membership.name
        server.post("/init_weight_transfer_engine", {"init_info": info})

    def leave(self, server: EngineServer, membership: Membership) -> None:
        server.post("/shutdown_weight_transfer_engine")

    def start(self, server: EngineServer) -> None:
        server.post("/start_weight_update")

    def update(self, server: EngineServer, membership: Membership, bucket: Bucket) -> None:
        info = {"names": bucket.names, "dtype_names": bucket.dtypes, "shapes": bucket.shapes}
        server.post("/update_weights", {"update_info": info})

    def finish(self, server: EngineServer) -> None:
        server.post("/finish_weight_update")


class SglangProtocol:
    """SGLang 0.5.23."""

    def count_processes(self, server: EngineServer) -> int:
        return int(server.get("/server_info")["tp_size"])

    def join(self, server: EngineServer, membership: Membership) -> None:
        body = {
            "master_address": membership.address,
            "master_port": membership.port,
            "rank_offset": membership.first_rank,
            "world_size": membership.world_size,
            "group_name": membership.name,
            "backend": membership.backend,
        }
        server.post("/init_weights_update_group", body)

    def leave(self, server: EngineServer, membership: Membership) -> None:
        server.post("/destroy_weights_update_group", {"group_name": membership.name})

    def start(self, server: EngineServer) -> None:
        server.post("/begin_weight_update")

    def update(self, server: EngineServer, membership: Membership, bucket: Bucket) -> None:
        body = {
            "names": bucket.names,
            "dtypes": bucket.dtypes,
            "shapes": bucket.shapes,
            "group_name": membership.name,
            "load_format": "flattened_bucket",
            # The engine is paused, and the proxy flushes at the end.
            "abort_all_requests": False,
            "flush_cache": False,
        }
        server.post("/update_weights_from_distributed", body)

    def finish(self, server: EngineServer) -> None:
        server.post("/end_weight_update")


PROTOCOLS: Mapping[str, type[EngineProtocol]] = {"vllm": VllmProtocol, "sglang": SglangProtocol}
