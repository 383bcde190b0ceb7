"""A conversation that some tests of trainers have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from rolltape import AsyncSession
from support import chat


async def two_turns(
    session: AsyncSession,
    messages: Sequence[dict[str, Any]],
    fields: Sequence[dict[str, Any]] = ({}, {}, {}),
    *,
    branches: bool = False,
    fails: bool = False,
) -> str:
    """Makes two calls, each continuing the one before, and returns what the model said.

    fields: further fields of the first call, the second one and the side call. branches: makes a side call after the first
        call. fails: raises LookupError then.
    """
    messages, said = list(messages), ""
    first, second, aside = fields
    for turn, of_call in enumerate((first, second)):
        answer = await asyncio.to_thread(chat, session, messages, **of_call)
        text = answer["choices"][0]["message"]["content"] or ""
        said += text
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": f"go on {turn}"}]
        if branches and turn == 0:
            await asyncio.to_thread(chat, session, [*messages[:-1], {"role": "user", "content": "aside"}], **aside)
        if fails:
            raise LookupError("no tool")
    return said
