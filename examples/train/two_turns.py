"""The task: two turns, each asks for digits or for lowercase letters.

A turn's reward is the share of its characters that are of the kind asked for. An untrained model writes the same mixture
whatever it is asked, so it has to learn to read the last message.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from rolltape import AsyncSession

MAX_TOKENS = 8

KINDS: dict[str, Callable[[str], bool]] = {
    "digits": lambda character: character in "0123456789",
    "letters": lambda character: character in "abcdefghijklmnopqrstuvwxyz",
}


@dataclass(frozen=True)
class Task:
    """The kind that each turn asks for."""

    kinds: tuple[str, str]


def draw_tasks(count: int, rng: random.Random) -> list[Task]:
    """Draws tasks whose two turns ask for different kinds, so that one answer cannot fit both."""
    return [Task(rng.choice([("digits", "letters"), ("letters", "digits")])) for _ in range(count)]


def score(text: str, kind: str) -> float:
    """Returns the share of characters of the kind, without white space around the text; 0 for an empty text."""
    text = text.strip()
    return sum(map(KINDS[kind], text)) / len(text) if text else 0.0


class Agent:
    """Asks for both turns of a task, and rewards each of its two model calls."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def __call__(self, task: Task, session: AsyncSession) -> dict[str, float]:
        messages: list[dict[str, str]] = []
        rewards: dict[str, float] = {}
        for kind in task.kinds:
            messages.append({"role": "user", "content": f"Write {kind}."})
            reply = await self.http.post(
                f"{session.base_url}/v1/chat/completions",
                headers={"authorization": f"Bearer {session.api_key}"},
                json={"messages": messages, "max_tokens": MAX_TOKENS, "temperature": 1.0},
            )
            completion = reply.raise_for_status().json()
            answer = completion["choices"][0]["message"]["content"] or ""
            messages.append({"role": "assistant", "content": answer})
            rewards[completion["id"]] = score(answer, kind)
        return rewards
