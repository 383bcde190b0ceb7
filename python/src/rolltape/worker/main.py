"""The steps of a worker process."""

from __future__ import annotations

import platform

from .agent_call import create_call
from .channel import Channel
from .errors import describe_load_error
from .load_agent import load_agent
from .process_state import ProcessState
from .run_concurrently import run_concurrently
from .run_sequentially import run_sequentially


def main() -> None:
    """Loads the agent that the first message names, and runs tasks until the parent closes standard input."""
    channel = Channel.take_standard_streams()
    order = channel.read()
    if order is None:
        return
    try:
        call = create_call(load_agent(order["file"], order["name"], order["arguments"]))
    except BaseException as error:  # An agent may call sys.exit while it is imported.
        channel.send({"type": "load_failed", "error": describe_load_error(error)})
        return
    # Taken after the import: what the module itself sets is kept for all tasks.
    state = ProcessState()
    can_resume = call.resume is not None
    version = platform.python_version()
    channel.send({"type": "ready", "is_async": call.is_async, "can_resume": can_resume, "python": version})
    run = run_concurrently if call.is_async else run_sequentially
    run(call, channel, state)
