"""What the tests of rolltape.trl share: agents, and stand-ins for TRL's types."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from rolltape import AsyncSession


@dataclass
class StandInSample:
    """The fields of TRL's RolloutSample, for tests that run without TRL."""

    prompt: Any
    completion: Any
    input_ids: list[int]
    completion_mask: list[int]
    old_log_probs: list[float]
    advantage: float
    model_version: int
    group_id: int
    metrics: dict[str, float]
    enqueued_at: float | None = None


async def ask(session: AsyncSession, messages: list[dict[str, Any]], **fields: Any) -> str:
    """Makes a model call and returns the text of its answer."""
    return str((await complete(session, messages, **fields))["choices"][0]["message"]["content"] or "")


async def complete(session: AsyncSession, messages: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """Makes a model call and returns the chat completion."""
    async with httpx.AsyncClient(timeout=120, trust_env=False) as http:
        answer = await http.post(
            f"{session.base_url}/v1/chat/completions",
            json={"messages": messages, "max_tokens": 8, "temperature": 1.0, **fields},
            headers={"authorization": f"Bearer {session.api_key}"},
        )
    answer.raise_for_status()
    return dict(answer.json())


async def letter_agent(task: Any, session: AsyncSession) -> float:
    """Two turns; the reward is the share of the letters a to m among the characters of the answers."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Task {task}"}]
    text = ""
    for _ in range(2):
        answer = await ask(session, messages)
        text += answer
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "More"}]
    return sum("a" <= character.lower() <= "m" for character in text) / max(len(text), 1)


def take(buffer: queue.Queue[Any], count: int, seconds: float = 120.0) -> list[Any]:
    """Returns so many items of a queue."""
    return [buffer.get(timeout=seconds) for _ in range(count)]


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    """Waits for a state. Fails if it is not reached."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the state was not reached in time"
        time.sleep(0.02)
