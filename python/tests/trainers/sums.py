"""Sums as tasks, and a model that solves them with two tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rolltape
from rolltape import AsyncClient, Server, engine_bridge
from scripted_engine import END, ScriptedEngine
from support import COMMAND

NUMBERS = [(1, 2), (3, 4), (5, 6)]
QUESTIONS = [{"question": f"What is {a} + {b}, doubled?", "answer": str(2 * (a + b))} for a, b in NUMBERS]
WRONG = 3
"""The model does not know the answer if this is the first number."""


def script(prompt: str) -> str:
    """Calls `add`, then `double`, then answers."""
    question = prompt.split("What is ")[-1].split(END)[0]
    a, b = (int(number) for number in question.split(",")[0].split(" + "))
    results = [part.split("\n")[1] for part in prompt.split("<tool_response>")[1:]]
    if not results:
        return _call("add", a=a, b=b)
    if len(results) == 1:
        return _call("double", number=int(results[0]))
    return results[1] if a != WRONG else "I do not know"


def _call(name: str, **arguments: int) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


@contextmanager
def serve(engine: ScriptedEngine, model_path: str, shared: Path) -> Iterator[Server]:
    """Starts a proxy in front of the engine."""
    with engine_bridge(engine, context_length=4096) as bridge:
        settings = {
            "engine.type": "sglang",
            "engine.urls": bridge.url,
            "model.path": model_path,
            "server.shared_memory_directory": str(shared),
            "server.shutdown_seconds": 0,
            "server.log_level": "warn",
        }
        with rolltape.serve(settings, command=COMMAND) as running:
            yield running


async def run_group(proxy: Server, agent: Any, tasks: list[Any], n: int) -> list[rolltape.Group]:
    async with AsyncClient(proxy.url, proxy.admin_key) as client:
        return await rolltape.run_group(agent, tasks, n, client=client)
