"""The numbers of each step, under the names that `rolltape rollout` gives them: see docs/reference/rollout.md."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..batch import Batch
from ..groups import Group
from ..trackers import Tracker, open_tracker
from .evaluation import total_reward

FILE = "metrics.jsonl"


def describe_groups(groups: Sequence[Group], dropped: Sequence[Group], ages: Sequence[int]) -> dict[str, float]:
    """ages: how many steps had ended since each group began."""
    accepted = [[total_reward(each.reward) for each in group.episodes if each.accepted] for group in groups]
    rewards = [reward for group in accepted for reward in group]
    several = [len(set(group)) == 1 for group in accepted if len(group) > 1]
    episodes = sum(len(group.episodes) for group in [*groups, *dropped])
    return {
        "reward/mean": float(np.mean(rewards)),
        "reward/min": min(rewards),
        "reward/max": max(rewards),
        "episodes/accepted": len(rewards),
        "episodes/rejected": episodes - len(rewards),
        **({"groups/zero_variance_share": float(np.mean(several))} if several else {}),
        "staleness/mean": float(np.mean(ages)),
        "staleness/max": max(ages),
    }


def describe_batch(batch: Batch) -> dict[str, float]:
    return {
        "batch/rows": len(batch),
        "tokens/batch": int(batch.places.own.sum()),
        "tokens/trained": int(np.count_nonzero(batch["loss_mask"])),
    }


class MetricsLog:
    """Writes the numbers of each step into a file, if there is a folder for it, and to trackers."""

    def __init__(
        self,
        stack: contextlib.AsyncExitStack,
        directory: Path | None,
        trackers: Sequence[str | Tracker],
        project: str,
        name: str | None,
    ) -> None:
        self._path = None if directory is None else directory / FILE
        self._trackers: list[Tracker] = []
        for each in trackers:
            runs = directory or Path("runs")
            opened = open_tracker(each, project=project, name=name, directory=runs) if isinstance(each, str) else each
            stack.callback(opened.close)
            self._trackers.append(opened)

    def cut(self, step: int) -> None:
        """Removes the lines of this and later steps, which will be run again."""
        if self._path is not None and self._path.exists():
            lines = self._path.read_text().splitlines(keepends=True)
            self._path.write_text("".join(line for line in lines if json.loads(line)["step"] < step))

    def add(self, step: int, version: int, metrics: Mapping[str, float]) -> None:
        """version: after the step."""
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with open(self._path, "a") as file:
                file.write(json.dumps({"step": step, "version": version, "time": time.time(), **metrics}) + "\n")
        for tracker in self._trackers:
            tracker.log(step, metrics)
