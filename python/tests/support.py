"""What tests share: sessions with model calls, and a plain reader of safetensors."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import httpx

from rolltape import Client, Session

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = REPOSITORY / "dist" / "cli" / "main.js"


def chat(session: Any, messages: list[dict[str, Any]] | str, **fields: Any) -> dict[str, Any]:
    """Makes a model call and returns the chat completion."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    answer = httpx.post(
        f"{session.base_url}/v1/chat/completions",
        json={"messages": messages, "max_tokens": 8, **fields},
        headers={"authorization": f"Bearer {session.api_key}"},
        timeout=120,
        trust_env=False,
    )
    answer.raise_for_status()
    return dict(answer.json())


def talk(session: Session, turns: int, text: str = "Hi", **fields: Any) -> list[str]:
    """Has a conversation of some turns, and returns the ids of its interactions."""
    messages: list[dict[str, Any]] = []
    ids = []
    for turn in range(turns):
        messages.append({"role": "user", "content": f"{text} {turn}"})
        completion = chat(session, messages, **fields)
        messages.append({"role": "assistant", "content": completion["choices"][0]["message"]["content"] or ""})
        ids.append(completion["id"])
    return ids


def ended_session(
    client: Client, turns: int = 2, reward: float | None = 0.5, group: str | None = None, **fields: Any
) -> str:
    """Returns the id of a session with a conversation that has ended."""
    client.grant_capacity()
    with client.session("test", group) as session:
        ids = talk(session, turns, **fields)
        if reward is not None:
            session.set_reward(reward, ids[-1])
    return session.session_id


def plain_tensors(data: bytes) -> tuple[dict[str, str], dict[str, tuple[list[int], list[Any]]]]:
    """Reads a safetensors block without numpy: metadata, and shape and values of each tensor."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, spec in header.items():
        code = {"I32": "i", "F32": "f", "BOOL": "?"}[spec["dtype"]]
        begin, end = (8 + length + at for at in spec["data_offsets"])
        count = (end - begin) // struct.calcsize(code)
        tensors[name] = spec["shape"], list(struct.unpack_from(f"<{count}{code}", data, begin))
    return metadata, tensors
