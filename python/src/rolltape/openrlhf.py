"""Runs agents as an agent executor of OpenRLHF, inside the actor that has the engine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal

from .bridge import engine_bridge, openrlhf
from .client import AsyncClient
from .episode import episode_rows, most_trained_row
from .per_loop import PerLoop
from .server import model_folder, serve

if TYPE_CHECKING:
    from .batch import Sample
    from .client.options import SamplingOverride
    from .groups import Agent


def make_executor(
    agent: Agent[dict[str, Any]],
    *,
    model_path: str | None = None,
    settings: Mapping[str, Any] | None = None,
    command: Any = None,
    reward_scope: Literal["interaction", "session"] = "interaction",
    episode_timeout: float | None = 600.0,
    max_attempts: int = 3,
) -> type:
    """Returns the class `AgentExecutor` for the file of OpenRLHF's `--train.agent_func_path`.

    agent: called as `agent(task, session)`, where task has `prompt` and `label`; returns the reward. The calls of its session
        have the sampling parameters of the trainer.
    model_path: folder with the tokenizer and the chat template; by default that of the trainer's tokenizer.
    settings, command: of the server, as `rolltape.serve` takes them. It starts with the first episode of an actor.
    max_attempts: how often an episode is run until one is accepted. A failure of one sample would end the whole step.

    If a conversation has several rows, OpenRLHF gets the one with the most trained tokens. Its reward is that of the whole
    episode. `extra_logs` counts `rows` and `turns`.

    An episode that fails raises what its agent raised, or RolltapeError `no_trained_tokens`.
    """
    from openrlhf.utils.agent import AgentExecutorBase

    class AgentExecutor(AgentExecutorBase):  # type: ignore[misc]
        def __init__(self) -> None:
            self._client = PerLoop(self._serve)

        async def execute(
            self,
            prompt: Any,
            label: Any,
            sampling_params: Any,
            max_length: int,
            hf_tokenizer: Any,
            llm_engine: Any,
            images: Any = None,
        ) -> dict[str, Any]:
            if images:
                raise ValueError("Images are not supported: the proxy records no image inputs.")
            # Used when the server starts.
            self._engine, self._context = llm_engine, max_length
            self._model = model_path or model_folder(hf_tokenizer.name_or_path)
            client = await self._client.get()
            task = {"prompt": prompt, "label": label}
            samples = await _run_episode(client, task, _sampling_of(sampling_params))
            fields = _describe(samples, with_logprobs=sampling_params.logprobs is not None)
            return {"prompt": prompt, "label": label, "images": images, "mm_train_inputs": None, **fields}

        @asynccontextmanager
        async def _serve(self) -> AsyncIterator[AsyncClient]:
            from vllm import SamplingParams

            with ExitStack() as stack:
                bridge = stack.enter_context(
                    engine_bridge(openrlhf(self._engine, SamplingParams), context_length=self._context)
                )
                own = {"engine.type": "sglang", "engine.urls": bridge.url, "model.path": self._model}
                server = serve({**own, "server.shutdown_seconds": 0, **(settings or {})}, command=command)
                # The engine runs in this event loop.
                proxy = await asyncio.to_thread(stack.enter_context, server)
                async with AsyncClient(proxy.url, proxy.admin_key) as client:
                    yield client

    async def _run_episode(client: AsyncClient, task: dict[str, Any], sampling: SamplingOverride) -> list[Sample]:
        for attempt in range(max_attempts):
            try:
                return await episode_rows(
                    client, agent, task, sampling_override=sampling, timeout=episode_timeout, reward_scope=reward_scope
                )
            except Exception:
                if attempt == max_attempts - 1:
                    raise
        raise ValueError(f"max_attempts must be at least 1; received {max_attempts}.")

    return AgentExecutor


def _sampling_of(params: Any) -> SamplingOverride:
    """Returns the sampling parameters of vLLM's `SamplingParams` that the trainer sets."""
    sampling: SamplingOverride = {"temperature": params.temperature, "top_p": params.top_p, "top_k": params.top_k}
    if params.max_tokens is not None:
        sampling["max_tokens"] = params.max_tokens
    if params.min_tokens:
        sampling["min_tokens"] = params.min_tokens
    return sampling


def _describe(samples: list[Sample], with_logprobs: bool) -> dict[str, Any]:
    sample = most_trained_row(samples)
    before = len(sample.prompt_ids)
    return {
        "observation_tokens": [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()],
        "action_ranges": [(before + start, before + end) for start, end in _runs(sample.response_mask.tolist())],
        "rollout_log_probs": [0.0] * before + sample.response_logprobs.tolist() if with_logprobs else None,
        "reward": sample.episode_reward,
        "scores": sample.episode_reward,
        "truncated": sample.truncated,
        "extra_logs": {"rows": float(len(samples)), "turns": float(len(sample.turns))},
    }


def _runs(mask: list[int]) -> list[tuple[int, int]]:
    """Returns begin and end of each sequence of ones."""
    edges = [place for place, (before, now) in enumerate(zip([0, *mask], [*mask, 0], strict=True)) if before != now]
    return list(zip(edges[::2], edges[1::2], strict=True))
