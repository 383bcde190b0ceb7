"""AReaL 1.0: agents as a rollout workflow. `docs/guides/areal.md` says how to plug it in."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from areal.api.workflow_api import RolloutWorkflow

from .client import AsyncClient
from .client.options import SamplingOverride
from .episode import episode_rows
from .groups import Agent
from .per_loop import PerLoop

if TYPE_CHECKING:
    from .batch import Sample

__all__ = ["RolltapeWorkflow"]

_log = logging.getLogger(__name__)


class RolltapeWorkflow(RolloutWorkflow):  # type: ignore[misc]
    """Runs an agent once for each episode that AReaL asks for.

    agent: called with the row of the dataset and the session, as by `rolltape.run_group`.
    url, admin_key: a proxy in front of AReaL's inference servers.
    sampling_override: sampling parameters of each call, whatever the agent asks for.
    style: `individual`: each model call is a row, with its discounted reward. `concat`: each path of the conversation.
    timeout: seconds that an episode may take. reward_scope: as of `rolltape.run_group`.

    The proxy is told the engine's weight version before an episode. A failed episode is rejected, with a warning in the log.
    """

    def __init__(
        self,
        agent: Agent[dict[str, Any]],
        *,
        url: str,
        admin_key: str,
        sampling_override: SamplingOverride | None = None,
        style: Literal["individual", "concat"] = "individual",
        timeout: float | None = None,
        reward_scope: Literal["interaction", "session"] = "interaction",
    ) -> None:
        self._agent = agent
        self._options: dict[str, Any] = {
            "sampling_override": sampling_override,
            "style": style,
            "timeout": timeout,
            "reward_scope": reward_scope,
        }
        self._clients = PerLoop(lambda: AsyncClient(url, admin_key))
        self._version: int | None = None

    async def arun_episode(self, engine: Any, data: dict[str, Any]) -> dict[str, Any] | None:
        client = await self._clients.get()
        version = engine.get_version()
        if version != self._version:
            await client.set_version(version)
            self._version = version
        try:
            rows = await episode_rows(client, self._agent, data, **self._options)
        except Exception as error:
            _log.warning("An episode failed and is rejected: %r", error)
            return None
        return _to_tensors(rows) if rows else None


def _to_tensors(rows: list[Sample]) -> dict[str, Any]:
    """Returns the rows as AReaL pads them: on the right, with one value for each token of prompt and response."""
    import torch

    prompts = [len(row.prompt_ids) for row in rows]
    lengths = [before + len(row.response_ids) for before, row in zip(prompts, rows, strict=True)]

    def pad(name: str, dtype: Any, prompt: int = 0) -> Any:
        values = np.zeros((len(rows), max(lengths)), dtype)
        for at, (row, before, length) in enumerate(zip(rows, prompts, lengths, strict=True)):
            values[at, :before] = row.prompt_ids if name == "ids" else prompt
            values[at, before:length] = getattr(row, f"response_{name}")
        return torch.from_numpy(values)

    return {
        "input_ids": pad("ids", np.int32),
        "loss_mask": pad("mask", np.int32),
        "logprobs": pad("logprobs", np.float32),
        "versions": pad("versions", np.int32, -1),
        "attention_mask": torch.from_numpy(np.arange(max(lengths)) < np.array(lengths)[:, None]),
        "rewards": torch.tensor([row.reward for row in rows], dtype=torch.float32),
    }
