"""The options of a rollout worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..advantages import grpo
from ..batch import Batch

if TYPE_CHECKING:
    from ..groups import Agent

Style = Literal["concat", "individual"]

EXPORT: Mapping[str, Any] = {"on_mismatch": "split", "roots": "rewarded", "shared_turns": "first"}
"""Defaults of exports: a broken conversation is split, not refused; side conversations without a reward are left out;
every sampled token is trained on once."""


@dataclass(frozen=True)
class WorkerSettings:
    """The options of RolloutWorker, which describes them."""

    agent: Agent[Any]
    n: int = 8
    groups: int = 8
    temperature: float = 1.0
    style: Style = "concat"
    max_staleness: int | None = None
    episode_timeout: float | None = 600.0
    reward_scope: Literal["interaction", "session"] = "interaction"
    advantages: Callable[[Batch], Any] = grpo
    drop_zero_variance: bool = False
    min_accepted: int | None = None
    max_failed_groups: int = 32
    export: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("n", "groups", "max_failed_groups"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1; received {getattr(self, name)}.")
        if not (np.isfinite(self.temperature) and self.temperature > 0):
            raise ValueError(
                f"temperature must be above 0; received {self.temperature}. Greedy tokens cannot be trained on."
            )
        if self.style not in ("concat", "individual"):
            raise ValueError(f"style must be `concat` or `individual`; received {self.style!r}.")
        if self.max_staleness is not None and self.max_staleness < 0:
            raise ValueError(f"max_staleness must be 0 or more; received {self.max_staleness}.")
        if self.min_accepted is not None and not 1 <= self.min_accepted <= self.n:
            raise ValueError(f"min_accepted must be from 1 to n ({self.n}); received {self.min_accepted}.")
        own = {"style", "layout", "turns", "row_tensors", "shards", "shard", "shard_by", "reader_hosts", "acknowledge"}
        if fixed := own & set(self.export):
            raise ValueError(f"export must not have {sorted(fixed)}, which the worker sets itself.")

    @property
    def needed_episodes(self) -> int:
        return min(2, self.n) if self.min_accepted is None else self.min_accepted

    @property
    def export_options(self) -> dict[str, Any]:
        """Options of the export. The worker reads temperatures of turns."""
        return {**EXPORT, **self.export, "style": self.style, "layout": "packed", "turns": True}
