"""verl 0.9: agents of Rolltape as agent loops. `docs/guides/verl.md` has the configuration.

The classic worker (`AgentLoopWorker`) takes one row of an episode, the v1 worker (`AgentLoopWorkerTQ`) takes all of them.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any, Literal

import numpy as np
from omegaconf import OmegaConf
from verl.experimental.agent_loop import AgentLoopManager
from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput
from verl.utils.ray_utils import auto_await

from .batch import Sample
from .bridge import engine_bridge
from .bridge.trainer_engines import verl as verl_engine
from .client import AsyncClient
from .client.options import SamplingOverride
from .episode import episode_rows, most_trained_row, trained_rows
from .experts import routed_experts
from .per_loop import PerLoop
from .server import model_folder, serve

__all__ = ["RolltapeAgentLoop", "RolltapeManager"]

# By address of the proxy; "" is the worker's own. Module-wide, because verl makes an agent loop for each episode.
_clients: dict[str, PerLoop[AsyncClient]] = {}


class RolltapeAgentLoop(AgentLoopBase):  # type: ignore[misc]
    """Runs an agent on a row of the dataset.

    agent: `module:function`. It is called with the row's fields and the session, as by `rolltape.run_group`.
    url, admin_key: a proxy in front of verl's engine servers, whose weight version `RolltapeManager` sets. Without them, each
        worker starts a proxy, whose engine is verl's own client: it balances, resumes and knows the version.
    settings: of the worker's own proxy, as for `rolltape.serve`.
    timeout: seconds that an episode may take. reward_scope: as of `rolltape.run_group`.

    The reward of all rows is what the agent returned for the episode. A failed episode raises. A prompt over
    `rollout.prompt_length` is refused, and a response over `rollout.response_length` is cut.
    """

    def __init__(
        self,
        *args: Any,
        agent: str,
        url: str | None = None,
        admin_key: str | None = None,
        settings: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        reward_scope: Literal["interaction", "session"] = "interaction",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        module, _, name = agent.partition(":")
        self._agent = getattr(import_module(module), name)
        self._url, self._admin_key, self._settings = url, admin_key, dict(settings or {})
        self._timeout, self._reward_scope = timeout, reward_scope

    async def run(self, sampling_params: dict[str, Any], **fields: Any) -> AgentLoopOutput | list[AgentLoopOutput]:
        started = time.monotonic()
        rows = await episode_rows(
            await _clients.setdefault(self._url or "", PerLoop(self._open)).get(),
            self._agent,
            fields,
            group_id=fields.get("uid"),
            task_id=str(fields["index"]) if "index" in fields else None,
            sampling_override=_override(sampling_params),
            timeout=self._timeout,
            reward_scope=self._reward_scope,
            max_prompt_tokens=self.rollout_config.prompt_length,
            max_response_tokens=self.rollout_config.response_length,
        )
        best = most_trained_row(rows)
        # Only the v1 worker numbers the episodes of a prompt.
        if "session_id" in fields:
            return [_output(row, time.monotonic() - started) for row in trained_rows(rows)]
        return _output(best, time.monotonic() - started)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[AsyncClient]:
        if self._url is not None:
            async with AsyncClient(self._url, self._admin_key or "") as client:
                yield client
            return
        rollout = self.rollout_config
        length = rollout.get("max_model_len") or rollout.prompt_length + rollout.response_length
        generate = verl_engine(self.server_manager, backend=rollout.name)
        with engine_bridge(generate, context_length=length) as bridge:
            own = {
                "engine.type": "sglang",
                "engine.urls": bridge.url,
                "model.path": model_folder(self.tokenizer.name_or_path),
                "server.shutdown_seconds": 0,
            }
            with serve({**own, **self._settings}) as server:
                async with AsyncClient(server.url, server.admin_key) as client:
                    yield client


class RolltapeManager(AgentLoopManager):  # type: ignore[misc]
    """Tells the proxy of `url` the weight version before each step: `rollout.agent.agent_loop_manager_class`.

    It is exact if weights change between steps only. Without `url`, the engine's replies have the version, and this class is
    not needed.
    """

    @auto_await  # type: ignore[untyped-decorator]
    async def generate_sequences(self, prompts: Any) -> Any:
        version = prompts.meta_info.get("global_steps", -1)
        for loop in OmegaConf.load(self.rollout_config.agent.agent_loop_config_path):
            if loop.get("url") and version >= 0:
                async with AsyncClient(loop.url, loop.admin_key) as client:
                    await client.set_version(version)
        return await super().generate_sequences(prompts)


def _override(params: Mapping[str, Any]) -> SamplingOverride:
    """Returns verl's sampling parameters."""
    return {
        "temperature": float(params["temperature"]),
        "top_p": float(params["top_p"]),
        # -1 is no limit. It is set too, so that it replaces the agent's value.
        "top_k": int(params["top_k"]),
        "repetition_penalty": float(params["repetition_penalty"]),
    }


def _output(row: Sample, seconds: float) -> AgentLoopOutput:
    # The v1 worker reads `reward_extra_info` of every output with a reward. Tags and metrics need the same keys in each row.
    extra = {
        "reward_extra_info": {},
        "turn_scores": [turn.own_reward or 0.0 for turn in row.turns],
        "tool_rewards": [],
        "min_global_steps": row.min_version,
        "max_global_steps": row.max_version,
    }
    return AgentLoopOutput(
        prompt_ids=row.prompt_ids.tolist(),
        response_ids=row.response_ids.tolist(),
        response_mask=row.response_mask.tolist(),
        response_logprobs=row.response_logprobs.tolist(),
        reward_score=row.episode_reward,
        num_turns=2 * len(row.turns),
        metrics=AgentLoopMetrics(generate_sequences=seconds),
        extra_fields=extra,
        routed_experts=routed_experts(row, np.int16),
        multi_modal_data=_pictures(row),
    )


def _pictures(row: Sample) -> dict[str, Any] | None:
    """Returns the images of a row, from which verl's worker makes `multi_modal_inputs` with the processor of the model."""
    images = row.images()
    if not images:
        return None
    # Imported here because it needs Pillow, which rows without images do not need.
    from .vision import picture

    return {"images": [picture(image) for image in images]}
