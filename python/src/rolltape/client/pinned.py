"""Shared memory that CUDA has registered, so that copies to a GPU read it without a copy to page-locked memory before."""

from __future__ import annotations

import mmap
import os
import threading
import weakref
from typing import Any

import numpy as np

from ..batch.safetensors import Array
from ..errors import RolltapeError


class Segment:
    """A file in shared memory that is mapped and registered."""

    def __init__(self, path: str, cudart: Any) -> None:
        self._cudart = cudart
        with open(path, "r+b") as file:
            # The file is kept open to see when it is unlinked.
            self._descriptor = os.dup(file.fileno())
        self.size = os.fstat(self._descriptor).st_size
        # Shared: CUDA locks the pages for writing, which would copy those of a private mapping.
        self._memory = mmap.mmap(self._descriptor, self.size, access=mmap.ACCESS_WRITE)
        # Views that were handed out, each to one batch. One that is alive is used by an array or a tensor.
        self._views: list[weakref.ref[Array]] = []
        view = np.frombuffer(self._memory, np.uint8)
        self._address = int(view.ctypes.data)
        del view
        code = int(cudart.cudaHostRegister(self._address, self.size, 0))
        if code != 0:
            self._memory.close()
            os.close(self._descriptor)
            raise RolltapeError(
                "pin_failed", f"cudaHostRegister of {path} ({self.size} bytes) failed with error {code}."
            )

    def view(self) -> Array:
        """Returns the bytes, which cannot be written to: they are the proxy's own."""
        view = np.frombuffer(self._memory, np.uint8)
        view.flags.writeable = False
        self._views = [each for each in self._views if each() is not None]
        self._views.append(weakref.ref(view))
        return view

    @property
    def is_dropped(self) -> bool:
        """True if the proxy, or its reader, has unlinked the file. Then it never holds another batch."""
        return os.fstat(self._descriptor).st_nlink == 0

    def close(self) -> bool:
        """Unregisters the memory and unmaps it. Returns false, and does neither, if arrays still use it."""
        # Before anything is unmapped: the memory must be unregistered while it is mapped.
        if any(view() is not None for view in self._views):
            return False
        self._cudart.cudaHostUnregister(self._address)
        self._memory.close()
        os.close(self._descriptor)
        return True


class PinnedSegments:
    """The segments of this process by inode. The proxy reuses its files, so one is registered again only if its size changed.

    The proxy truncates a file before it reuses it for a smaller batch, which replaces its pages. This process sees that by
    the size, provided that no other process has read a batch from the same file in between.
    """

    def __init__(self) -> None:
        self._segments: dict[tuple[int, int], Segment] = {}
        # Segments whose file has another size since, and that arrays still use.
        self._outgrown: list[Segment] = []
        self._lock = threading.Lock()

    def open(self, path: str) -> Array:
        """Returns the bytes of a file. Raises RolltapeError `pin_failed` without a GPU, or if CUDA refuses."""
        cudart = _cudart()
        with self._lock:
            self._close_dropped()
            status = os.stat(path)
            key = (status.st_dev, status.st_ino)
            segment = self._segments.get(key)
            if segment is not None and segment.size != status.st_size:
                self._outgrown.append(self._segments.pop(key))
                segment = None
            if segment is None:
                segment = self._segments[key] = Segment(path, cudart)
            return segment.view()

    def _close_dropped(self) -> None:
        self._outgrown = [segment for segment in self._outgrown if not segment.close()]
        for key, segment in list(self._segments.items()):
            if segment.is_dropped and segment.close():
                del self._segments[key]


SEGMENTS = PinnedSegments()


def wait_for_copies() -> None:
    """Waits for copies to GPUs, before the proxy may write to the memory that they read."""
    import torch

    torch.cuda.synchronize()


def _cudart() -> Any:
    try:
        import torch

        return torch.cuda.cudart()  # type: ignore[no-untyped-call]
    except (ImportError, RuntimeError, AssertionError) as error:
        raise RolltapeError("pin_failed", f"`pin=True` needs PyTorch with a GPU of CUDA: {error}") from error
