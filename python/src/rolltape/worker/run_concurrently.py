"""Runs an asynchronous agent, many tasks at once, in one event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

from .agent_call import AgentCall
from .blocked_loop import watch_loop
from .channel import Channel, end_process
from .errors import failure
from .process_state import ProcessState
from .reward import InvalidReward, encode_reward

SECONDS_TO_CANCEL = 1.0
"""How long tasks may clean up after the parent has closed the connection."""


def run_concurrently(call: AgentCall, channel: Channel, state: ProcessState) -> None:
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    runner = Runner(call, channel, state, loop)
    threading.Thread(target=runner.receive, daemon=True).start()
    watch_loop(loop)
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # A task that the agent created called sys.exit: asyncio raises it here too. The other tasks go on.
            continue


class Runner:
    """The tasks that run in the event loop. Its methods run there, except :meth:`receive`."""

    def __init__(self, call: AgentCall, channel: Channel, state: ProcessState, loop: asyncio.AbstractEventLoop) -> None:
        self._call = call
        self._channel = channel
        self._state = state
        self._loop = loop
        self._tasks: dict[int, asyncio.Task[dict[str, Any]]] = {}

    def receive(self) -> None:
        """Reads messages on a thread of its own, so that the end of the parent is noticed even if an agent blocks the loop."""
        while (message := self._channel.read()) is not None:
            self._loop.call_soon_threadsafe(self._handle, message)
        self._loop.call_soon_threadsafe(self._cancel_all)
        deadline = time.monotonic() + SECONDS_TO_CANCEL
        while self._tasks and time.monotonic() < deadline:
            time.sleep(0.01)
        end_process()

    def _handle(self, message: dict[str, Any]) -> None:
        identifier = message["id"]
        if message["type"] == "run":
            self._start(message)
        elif message["type"] == "cancel" and identifier in self._tasks:
            # The parent now knows that the loop is not blocked.
            self._channel.send({"type": "cancelling", "id": identifier})
            self._tasks[identifier].cancel()

    def _start(self, message: dict[str, Any]) -> None:
        identifier = message["id"]
        self._channel.send({"type": "started", "id": identifier})
        self._state.enter(message.get("environment"))
        task = self._loop.create_task(self._outcome(message))
        self._tasks[identifier] = task
        # Not a part of the task itself: one that is cancelled before its first step never runs.
        task.add_done_callback(lambda ended: self._end(identifier, ended))

    def _end(self, identifier: int, task: asyncio.Task[dict[str, Any]]) -> None:
        del self._tasks[identifier]
        outcome = failure(identifier, asyncio.CancelledError()) if task.cancelled() else task.result()
        # Tasks that run at once share environment and working directory.
        reusable = self._state.restore() if not self._tasks else True
        self._channel.send({**outcome, "reusable": reusable})

    def _cancel_all(self) -> None:
        for task in self._tasks.values():
            task.cancel()

    async def _outcome(self, message: dict[str, Any]) -> dict[str, Any]:
        identifier = message["id"]
        try:
            value = await self._call.call(message)
            return {"type": "done", "id": identifier, "value": encode_reward(value)}
        except InvalidReward as error:
            return {"type": "invalid", "id": identifier, "received": str(error)}
        except BaseException as error:  # Also sys.exit and cancellation: they end the episode, not the process.
            return failure(identifier, error)
