"""Maps a file into memory."""

from __future__ import annotations

import mmap
import os


def map_file(path: str | os.PathLike[str]) -> mmap.mmap | bytearray:
    """Maps a file. No byte is read here: a page is read when it is used.

    The memory is private and writable, as PyTorch wants it: a page is copied if somebody writes to it, and the file never
    changes.
    """
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return bytearray()  # mmap refuses empty files
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
