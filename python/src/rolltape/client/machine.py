"""The identity of this machine, by which a proxy knows whether a process can map its files."""

from __future__ import annotations

import os
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def machine_id(shared_memory: str | os.PathLike[str] = "/dev/shm") -> str | None:
    """Returns the identity of this machine and its shared memory, for `reader_hosts`; None if it cannot be read.

    Containers of one machine have the same identity only if they share the memory.

    shared_memory: the `server.shared_memory_directory` of the proxies.
    """
    try:
        # The same text as in src/session/batch/batch-memory.ts.
        return f"{_BOOT_ID.read_text().strip()}:{os.stat(shared_memory).st_dev}"
    except OSError:
        return None
