"""The process group of the trainer and the engine servers. The trainer's process has rank 0 and opens the rendezvous."""

from __future__ import annotations

import socket
from datetime import timedelta
from typing import Any, Protocol

ROOT = 0


class Group(Protocol):
    """Returns from `broadcast` when the tensor is sent."""

    def broadcast(self, tensor: Any) -> None: ...
    def close(self) -> None: ...


class Rendezvous(Protocol):
    """A port that is open for the servers. `join` returns when all of them have joined; `close` ends their wait for it."""

    port: int

    def join(self) -> Group: ...
    def close(self) -> None: ...


class TorchRendezvous:
    """For groups of PyTorch, over NCCL or gloo: SGLang's, and those of `vllm_gloo`. port: 0 chooses a free one."""

    def __init__(self, backend: str, name: str, address: str, port: int, world_size: int, timeout: float) -> None:
        self._backend = backend
        self._name = name
        self._world_size = world_size
        self._timeout = timedelta(seconds=timeout)
        self._store = _distributed().TCPStore(
            address, port, world_size, is_master=True, timeout=self._timeout, wait_for_workers=False
        )
        self.port: int = self._store.port

    def join(self) -> Group:
        return TorchGroup(
            join_torch_group(self._backend, self._name, self._store, ROOT, self._world_size, self._timeout)
        )

    def close(self) -> None:
        self._store = None  # Its port is closed when nothing refers to it.


class TorchGroup:
    def __init__(self, group: Any) -> None:
        self._group = group

    def broadcast(self, tensor: Any) -> None:
        import torch

        torch.distributed.broadcast(tensor, src=ROOT, group=self._group)
        if tensor.is_cuda:
            torch.cuda.synchronize(tensor.device)

    def close(self) -> None:
        import torch

        self._group.abort()  # Does not wait for a server that hangs.
        torch.distributed.destroy_process_group(self._group)


def join_torch_group(backend: str, name: str, store: Any, rank: int, world_size: int, timeout: timedelta) -> Any:
    """Returns a group beside the process's own groups, if it has any.

    PyTorch has no public function for this, so trainers and SGLang call the one that `init_process_group` calls. The names
    in the store are those of SGLang's groups.
    """
    distributed = _distributed()
    c10d, prefixed = distributed.distributed_c10d, distributed.PrefixStore(name, store)
    group, _ = c10d._new_process_group_helper(
        world_size, rank, [], c10d.Backend(backend), prefixed, group_name=name, timeout=timeout
    )
    # torch.distributed.broadcast looks up the rank of the root here.
    c10d._world.pg_group_ranks[group] = {each: each for each in range(world_size)}
    return group


def join_store(address: str, port: int, world_size: int, timeout: timedelta) -> Any:
    """Returns the rendezvous that the trainer has opened."""
    return _distributed().TCPStore(address, port, world_size, is_master=False, timeout=timeout)


def _distributed() -> Any:
    """Returns torch.distributed without its types, of which some are missing."""
    import torch.distributed

    return torch.distributed


class VllmRendezvous:
    """For vLLM's own groups over NCCL. Needs vLLM in the trainer's environment. port: 0 chooses a free one."""

    def __init__(self, address: str, port: int, world_size: int, timeout: float) -> None:
        self._address = address
        self._world_size = world_size
        self._timeout = timeout
        self._socket: socket.socket | None = socket.create_server((address, port))
        self.port: int = self._socket.getsockname()[1]

    def join(self) -> Group:
        import torch
        from vllm.distributed.device_communicators.pynccl import PyNcclCommunicator
        from vllm.distributed.utils import StatelessProcessGroup

        listening, self._socket = self._socket, None
        group = StatelessProcessGroup.create(
            self._address,
            self.port,
            ROOT,
            self._world_size,
            store_timeout=int(self._timeout),
            listen_socket=listening,
        )
        communicator = PyNcclCommunicator(group, device=torch.cuda.current_device())
        if communicator.disabled:  # It would send nothing.
            raise RuntimeError("vLLM cannot load NCCL in the trainer's process.")
        return VllmGroup(communicator)

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class VllmGroup:
    def __init__(self, communicator: Any) -> None:
        self._communicator = communicator

    def broadcast(self, tensor: Any) -> None:
        import torch

        self._communicator.broadcast(tensor, src=ROOT)
        torch.cuda.synchronize(tensor.device)

    def close(self) -> None:
        self._communicator.destroy()
