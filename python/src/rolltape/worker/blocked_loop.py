"""Says which line of an agent blocks the event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
import traceback

PERIOD_SECONDS = 1.0
BLOCKED_SECONDS = 5.0
FRAMES = 4


def watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Writes a warning to standard error if the loop of this thread does not run for some seconds: all tasks of the
    process then wait for one of them. Each place is reported once."""
    threading.Thread(target=watch, args=(loop, threading.get_ident()), daemon=True).start()


def watch(loop: asyncio.AbstractEventLoop, thread: int) -> None:
    reported: set[str] = set()
    while True:
        turned = threading.Event()
        loop.call_soon_threadsafe(turned.set)
        if not turned.wait(BLOCKED_SECONDS):
            frame = sys._current_frames().get(thread)
            place = "".join(traceback.format_stack(frame)[-FRAMES:]) if frame else ""
            if place not in reported:
                reported.add(place)
                text = "the agent has blocked the event loop of its process for"
                print(f"rolltape: {text} {BLOCKED_SECONDS:.0f} s; await instead, at:\n{place}", file=sys.stderr, end="")
            turned.wait()
        time.sleep(PERIOD_SECONDS)
