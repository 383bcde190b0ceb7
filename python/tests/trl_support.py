"""Shared by the tests of rolltape.trl: agents, and replacements that let TRL's trainers run without a GPU."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx

from rolltape import AsyncSession


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


def run_async_grpo_on_cpu(patch: Callable[[Any, str, Any], None] = setattr) -> None:
    """Replaces what needs a GPU in AsyncGRPOTrainer: FlashAttention 3, and the name of the GPU, which only metrics use."""
    from trl.experimental.async_grpo import async_grpo_trainer as trainer

    if hasattr(trainer, "get_peak_flops_per_device"):
        patch(trainer, "get_peak_flops_per_device", lambda accelerator, dtype: None)
    if hasattr(trainer, "TREE_ATTENTION"):
        from trl.experimental.async_grpo import packing

        patch(packing, "_flash_attn", lambda: SimpleNamespace(flash_attn_varlen_func=varlen_attention))
        return
    create = trainer.create_model_from_path
    # PyTorch's own attention also keeps packed rows apart.
    on_cpu = {"attn_implementation": "sdpa"}
    patch(trainer, "create_model_from_path", lambda model, **options: create(model, **{**options, **on_cpu}))


def varlen_attention(
    query: Any, key: Any, value: Any, cu_q: Any, cu_k: Any, max_q: int, max_k: int, softmax_scale: float, **_: Any
) -> Any:
    """Does what FlashAttention's function of this name does for causal attention: each segment's tokens end its keys."""
    import torch

    parts = []
    bounds = zip(*(each.tolist() for each in (cu_q[:-1], cu_q[1:], cu_k[:-1], cu_k[1:])), strict=True)
    for begin, end, first, last in bounds:
        heads = (part.transpose(0, 1)[None] for part in (query[begin:end], key[first:last], value[first:last]))
        mask = torch.ones(end - begin, last - first, dtype=torch.bool).tril((last - first) - (end - begin))
        parts.append(
            torch.nn.functional.scaled_dot_product_attention(
                *heads, attn_mask=mask, scale=softmax_scale, enable_gqa=True
            )[0].transpose(0, 1)
        )
    return torch.cat(parts)
