"""Sends tensors to paused engine servers, over a process group that the trainer and the servers have in common."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeVar

from .buckets import Bucket, fill_buckets
from .engines import PROTOCOLS, EngineCallError, EngineServer, Membership
from .groups import Group, Rendezvous, TorchRendezvous, VllmRendezvous
from .together import TogetherError, run_together

_Result = TypeVar("_Result")

_TRAINER = "the trainer's process"
_LEAVE_SECONDS = 10.0


class SendError(Exception):
    """Tensors could not be sent.

    begun: true if servers may have lost weights. failures: the reason of each server, by address.
    """

    def __init__(self, message: str, *, begun: bool, failures: dict[str, str]) -> None:
        super().__init__(message)
        self.begun = begun
        self.failures = failures


@dataclass(frozen=True)
class _Member:
    server: EngineServer
    membership: Membership


@dataclass(frozen=True)
class _Connection:
    members: list[_Member]
    group: Group


class TensorSender:
    """Broadcasts tensors to vLLM's or SGLang's servers, in buckets of one tensor of bytes each.

    engine: `vllm` or `sglang`.
    address: the address of this machine under which the servers reach it, for the rendezvous.
    port: of the rendezvous; 0 chooses a free one.
    backend: `nccl` or `gloo`. With vLLM, `gloo` needs `rolltape.weights.vllm_gloo` in the server.
    bucket_bytes: the largest bucket. A tensor that is larger has a bucket of its own.
    timeout: seconds after which a step fails: the beginning, joining the group, each bucket, and the end.
    api_key: of the engine servers.

    The process must have the device of its NCCL group as the current one. The group is kept for the next call. It is opened
    again if the addresses have changed, or after an error.
    """

    def __init__(
        self,
        engine: Literal["vllm", "sglang"],
        *,
        address: str,
        port: int = 0,
        backend: Literal["nccl", "gloo"] = "nccl",
        bucket_bytes: int = 512 * 1024 * 1024,
        timeout: float = 300.0,
        api_key: str | None = None,
    ) -> None:
        if engine not in PROTOCOLS:
            raise ValueError(f"engine must be one of {', '.join(PROTOCOLS)}; received {engine!r}.")
        if backend not in ("nccl", "gloo"):
            raise ValueError(f"backend must be `nccl` or `gloo`; received {backend!r}.")
        if bucket_bytes < 1:
            raise ValueError(f"bucket_bytes must be at least 1; received {bucket_bytes}.")
        self._engine = engine
        self._protocol = PROTOCOLS[engine]()
        self._address = (address, port)
        self._backend = backend
        self._bucket_bytes = bucket_bytes
        self._timeout = timeout
        self._api_key = api_key
        self._connection: _Connection | None = None

    def send(self, tensors: Iterable[tuple[str, Any]], urls: Sequence[str]) -> None:
        """Returns when all servers have loaded all tensors.

        tensors: names of the checkpoint with PyTorch tensors. Tensors are taken one bucket at a time.
        urls: the engine servers, which must be paused.

        Raises SendError, also for exceptions of `tensors`. The group is closed then, which ends the wait of servers for the
        rest of a bucket.
        """
        begun = False
        try:
            members = self._connect(urls).members
            begun = True
            self._on_each(members, lambda member: self._start(member.server))
            for bucket in fill_buckets(tensors, self._bucket_bytes, self._device):
                self._send_bucket(bucket)
            self._on_each(members, lambda member: self._protocol.finish(member.server))
        except Exception as error:
            self.close()
            failures = error.failures if isinstance(error, TogetherError) else {}
            message = f"The weights could not be sent. {str(error) or type(error).__name__}"
            raise SendError(message, begun=begun, failures=failures) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes the group. The next `send` opens one again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._disconnect(connection.members, connection.group)

    @property
    def _device(self) -> Any:
        import torch

        return torch.device("cpu") if self._backend == "gloo" else torch.device("cuda", torch.cuda.current_device())

    def _connect(self, urls: Sequence[str]) -> _Connection:
        if self._connection is not None:
            if [member.server.url for member in self._connection.members] == [url.rstrip("/") for url in urls]:
                return self._connection
            self.close()
        servers = [EngineServer(url, self._api_key, self._timeout) for url in urls]
        try:
            counts = run_together(
                {server.url: partial(self._protocol.count_processes, server) for server in servers}, self._timeout
            )
        except BaseException:
            for server in servers:
                server.close()
            raise
        self._connection = self._open_group(servers, [counts[server.url] for server in servers])
        return self._connection

    def _open_group(self, servers: list[EngineServer], counts: list[int]) -> _Connection:
        name = f"rolltape-{secrets.token_hex(4)}"
        world_size = 1 + sum(counts)
        rendezvous = self._open_rendezvous(name, world_size)
        members = [
            _Member(
                server,
                Membership(
                    name=name,
                    address=self._address[0],
                    port=rendezvous.port,
                    backend=self._backend,
                    first_rank=1 + sum(counts[:index]),
                    world_size=world_size,
                    bucket_bytes=self._bucket_bytes,
                ),
            )
            for index, server in enumerate(servers)
        ]
        try:
            return _Connection(
                members,
                self._with_trainer(
                    members, lambda member: self._protocol.join(member.server, member.membership), rendezvous.join
                ),
            )
        except BaseException:
            rendezvous.close()
            self._disconnect(members, None)
            raise

    def _open_rendezvous(self, name: str, world_size: int) -> Rendezvous:
        address, port = self._address
        if self._engine == "vllm" and self._backend == "nccl":
            return VllmRendezvous(address, port, world_size, self._timeout)
        return TorchRendezvous(self._backend, name, address, port, world_size, self._timeout)

    def _start(self, server: EngineServer) -> None:
        """Starts the update. An earlier one that a trainer has left open is ended first."""
        try:
            self._protocol.start(server)
        except EngineCallError:
            with suppress(EngineCallError):
                self._protocol.finish(server)
            self._protocol.start(server)

    def _send_bucket(self, bucket: Bucket) -> None:
        assert self._connection is not None
        group, packed = self._connection.group, bucket.join()
        if packed.is_cuda:
            import torch

            torch.cuda.synchronize(packed.device)  # The other thread has another stream.
        self._with_trainer(
            self._connection.members,
            lambda member: self._protocol.update(member.server, member.membership, bucket),
            lambda: group.broadcast(packed),
        )

    def _with_trainer(
        self, members: Sequence[_Member], call: Callable[[_Member], object], own: Callable[[], _Result]
    ) -> _Result:
        """Makes the servers do their part of a collective operation, does `own` meanwhile, and returns its result."""
        device = self._device
        results: list[_Result] = []

        def run() -> None:
            if device.type == "cuda":
                import torch

                torch.cuda.set_device(device)  # Another thread has another one.
            results.append(own())

        run_together({**_calls(members, call), _TRAINER: run}, self._timeout)
        return results[0]

    def _on_each(self, members: Sequence[_Member], call: Callable[[_Member], object]) -> None:
        run_together(_calls(members, call), self._timeout)

    def _disconnect(self, members: list[_Member], group: Group | None) -> None:
        # The trainer's end comes first, because it ends the wait of servers for the trainer.
        if group is not None:
            with suppress(TogetherError):
                run_together({_TRAINER: group.close}, _LEAVE_SECONDS)
        with suppress(TogetherError):
            run_together(
                _calls(members, lambda member: self._protocol.leave(member.server, member.membership)), _LEAVE_SECONDS
            )
        for member in members:
            member.server.close()


def _calls(members: Sequence[_Member], call: Callable[[_Member], object]) -> dict[str, Callable[[], object]]:
    return {member.server.url: partial(call, member) for member in members}
