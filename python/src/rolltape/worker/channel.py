"""Messages to and from the parent process."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any


class Channel:
    """JSON lines over the standard streams that this process was started with.

    The agent must not write into them, so they are moved: afterwards standard input is empty, and whatever the agent and its
    child processes print to standard output goes to standard error.
    """

    def __init__(self, receiving: int, sending: int) -> None:
        self._input = os.fdopen(receiving, "rb", buffering=1 << 16)
        self._sending = sending
        self._is_copy = False
        self._lock = threading.Lock()
        # An agent that calls os.fork may return in the copy too, whose result must not replace the real one.
        os.register_at_fork(after_in_child=self._mute)

    @classmethod
    def take_standard_streams(cls) -> Channel:
        # Duplicates are not inherited by child processes, which therefore cannot keep them open.
        receiving, sending = os.dup(0), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):
            # A character that the encoding lacks must not make print() fail.
            stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
        return cls(receiving, sending)

    def _mute(self) -> None:
        self._is_copy = True

    def read(self) -> dict[str, Any] | None:
        """Waits for the next message. Returns None when the parent has closed the stream or ended."""
        try:
            line = self._input.readline()
        except OSError:
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends a message whole, from any thread. Does nothing if the parent has ended: the reader notices that.

        Ends the process if an agent has made it by os.fork.
        """
        if self._is_copy:
            os._exit(0)
        # ASCII, because a lone surrogate cannot be encoded as UTF-8.
        rest = memoryview(f"{json.dumps(message, ensure_ascii=True, allow_nan=False)}\n".encode("ascii"))
        with self._lock:
            try:
                while rest:
                    rest = rest[os.write(self._sending, rest) :]
            except OSError:
                pass


def end_process() -> None:
    """Ends this process and every process that its agents started."""
    # Only the leader of a group may end it. If somebody runs the worker by hand, the group is that of the shell's job.
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(0)
