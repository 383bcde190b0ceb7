"""The state of a run on disk, from which it resumes after its process ended."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILE = "state.json"


@dataclass
class RunState:
    """The state of a run after its last step.

    step: number of steps that have ended. version: the weight version. weights: the folder of these weights; None until the
        first update.
    next_task: the first task that no step has had. later_tasks: tasks after it that a step has had.
    """

    step: int = 0
    version: int = 0
    weights: str | None = None
    next_task: int = 0
    later_tasks: list[int] = field(default_factory=list)

    def has_had(self, task: int) -> bool:
        return task < self.next_task or task in self.later_tasks

    def note_task(self, task: int) -> None:
        """Notes that a step has had a task, or that it was left out."""
        later = {*self.later_tasks, task}
        while self.next_task in later:
            later.remove(self.next_task)
            self.next_task += 1
        self.later_tasks = sorted(later)

    def save(self, directory: Path) -> None:
        """Replaces the file in one step, so that a crash leaves the old or the new state."""
        directory.mkdir(parents=True, exist_ok=True)
        draft = directory / f"{FILE}.draft"
        with open(draft, "w") as file:
            json.dump(asdict(self), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, directory / FILE)


def load_state(directory: str | os.PathLike[str]) -> RunState:
    """Returns the state of the run in a folder; that of a new run if it has none.

    A trainer loads its model from `weights`, if it is not None, before it calls `rollouts` with the same folder.
    """
    path = Path(directory) / FILE
    return RunState(**json.loads(path.read_text())) if path.exists() else RunState()
