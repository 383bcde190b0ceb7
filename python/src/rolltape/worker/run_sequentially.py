"""Runs a synchronous agent, one task at a time, on the main thread."""

from __future__ import annotations

import asyncio
import inspect
import queue
import threading
from typing import Any

from .agent_call import AgentCall
from .channel import Channel, end_process
from .errors import failure
from .process_state import ProcessState
from .reward import InvalidReward, encode_reward


def run_sequentially(call: AgentCall, channel: Channel, state: ProcessState) -> None:
    tasks: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(channel, tasks), daemon=True).start()
    while True:
        message = tasks.get()
        channel.send({"type": "started", "id": message["id"]})
        state.enter(message.get("environment"))
        outcome = run(call, message)
        channel.send({**outcome, "reusable": state.restore()})


def receive(channel: Channel, tasks: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queues tasks. Runs in its own thread, so that the end of the parent is noticed while an agent runs."""
    while (message := channel.read()) is not None:
        # To cancel a synchronous task, the parent kills the process.
        if message["type"] == "run":
            tasks.put(message)
    end_process()


def run(call: AgentCall, message: dict[str, Any]) -> dict[str, Any]:
    identifier = message["id"]
    try:
        value = call.call(message)
        # A function need not be a coroutine function to return an awaitable.
        if inspect.isawaitable(value):
            value = asyncio.run(wait_for(value))
        return {"type": "done", "id": identifier, "value": encode_reward(value)}
    except InvalidReward as error:
        return {"type": "invalid", "id": identifier, "received": str(error)}
    except BaseException as error:  # Also sys.exit: it ends the episode, not the process.
        return failure(identifier, error)


async def wait_for(value: Any) -> Any:
    return await value
