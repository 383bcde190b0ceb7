"""Environments of verifiers 0.1."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI

from ..errors import RolltapeError
from ..per_loop import PerLoop
from .load import MODEL

if TYPE_CHECKING:
    from .load import EpisodeContext

CALL_SECONDS = 3600.0
"""Time limit of a model call, as that of verifiers."""


def load_classic(
    environment: Any, sampling: Mapping[str, Any], arguments: Mapping[str, Any]
) -> tuple[ClassicAgent, list[dict[str, Any]]]:
    import verifiers as vf

    if isinstance(environment, str):
        environment = vf.load_environment(environment, **arguments)
    elif arguments:
        raise TypeError(f"Pass {', '.join(arguments)} to the environment itself: it is loaded already.")
    rows = environment.build_dataset()
    rows = environment.get_eval_dataset() if rows is None else rows
    return ClassicAgent(environment, sampling), rows.to_list()


class ClassicAgent:
    """See `EnvironmentAgent`."""

    def __init__(self, environment: Any, sampling: Mapping[str, Any]) -> None:
        if environment.requires_group_rollouts:
            raise ValueError(
                "`environment` has a rubric that scores whole groups; only rubrics that score single rollouts are supported."
            )
        self.environment, self.sampling = environment, {**environment.sampling_args, **sampling}
        # A client of its own for each rollout would load certificates each time. A copy has the rollout's key and address.
        self._openai = PerLoop(
            lambda: AsyncOpenAI(api_key="none", base_url="http://none", max_retries=0, timeout=CALL_SECONDS)
        )

    async def __call__(self, task: Mapping[str, Any], session: EpisodeContext) -> float:
        from verifiers.clients import OpenAIChatCompletionsClient

        shared = await self._openai.get()
        client = OpenAIChatCompletionsClient(shared.copy(api_key=session.api_key, base_url=f"{session.base_url}/v1"))
        output = await self.environment.run_rollout(dict(task), client, MODEL, deepcopy(self.sampling))
        error = output.get("error")
        if error is not None:
            raise RolltapeError("environment_failed", f"The rollout ended with an error: {error['error_chain_repr']}")
        return float(output["reward"])
