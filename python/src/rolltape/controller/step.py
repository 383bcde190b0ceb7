"""One step of a trainer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..batch import Batch
from ..groups import Agent, EpisodeRunner, Group
from ..server import Server
from .evaluation import Evaluation, evaluate
from .run_state import RunState


@dataclass
class Step:
    """A batch of rollouts, and what the trainer does with it.

    index: from 0 in the run. version: weight version at the beginning of the step.
    groups: what the agent returned, one for each task.
    dropped: groups with too few accepted episodes, which no batch has. `errors` of a group says why.
    batch: the tensors. It is closed when the next step is asked for.
    metrics: numbers of this step by name. `log` adds some.
    server: the server that was started for the run; `ready["model_path"]` is the folder of its model. None if a client was
        passed.
    """

    index: int
    version: int
    groups: list[Group]
    dropped: list[Group]
    batch: Batch
    metrics: dict[str, float]
    server: Server | None
    _runner: EpisodeRunner = field(repr=False)
    _state: RunState = field(repr=False)

    async def update_weights(self, path: str | os.PathLike[str], version: int | None = None) -> dict[str, Any]:
        """Loads the weights of `path` into all engine servers, and returns the record of the update.

        version: default: one more than that of the step. Groups that run go on with the new weights. Raises WeightsError.
        """
        new = self.version + 1 if version is None else version
        # The engine opens the path in a folder of its own.
        folder = os.path.abspath(path)
        record = await self._runner.client.update_weights(new, folder)
        self._state.version, self._state.weights = new, folder
        self.metrics["weights/paused_seconds"] = float(record["paused_seconds"] or 0.0)
        return dict(record)

    async def evaluate(
        self, tasks: Sequence[Any], *, n: int = 1, agent: Agent[Any] | None = None, name: str = "eval"
    ) -> Evaluation:
        """Runs the agent on tasks that are not trained on, and logs `<name>/reward_mean`. The sessions are deleted.

        agent: default: that of the run.
        """
        own = self._runner
        chosen = own.agent if agent is None else agent
        runner = EpisodeRunner(chosen, own.client, own.timeout, own.max_concurrency, own.reward_scope, split="eval")
        result = await evaluate(runner, tasks, n)
        self.log({f"{name}/reward_mean": result.mean, f"{name}/failed": result.failed})
        return result

    def log(self, metrics: dict[str, float]) -> None:
        """Adds numbers to the metrics of the step, such as a loss."""
        self.metrics.update({name: float(value) for name, value in metrics.items()})
