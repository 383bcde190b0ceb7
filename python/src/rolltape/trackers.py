"""Shows the metrics of a run in Weights & Biases, trackio or TensorBoard, with the package of each.

`rollouts(…, trackers=["wandb"])` logs each step. Metrics of `rolltape rollout` are in a file, which this reads:

    python -m rolltape.trackers out/batch.safetensors.metrics.jsonl --to wandb trackio --project math --follow
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

__all__ = ["Tracker", "follow", "open_tracker"]

FOLLOW_SECONDS = 1.0


class Tracker(Protocol):
    """Receives the numbers of each step by name."""

    def log(self, step: int, metrics: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class _Run:
    """A run of wandb or trackio, whose interfaces are the same."""

    def __init__(self, module: Any, project: str, name: str | None) -> None:
        self._module = module
        # With a name, a run that goes on after its process ended has one curve.
        named = {} if name is None else {"name": name, "resume": "allow"}
        identified = {"id": name} if name is not None and module.__name__ == "wandb" else {}
        module.init(project=project, **named, **identified)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        self._module.log(dict(metrics), step=step)

    def close(self) -> None:
        self._module.finish()


class _TensorBoard:
    def __init__(self, directory: Path) -> None:
        writers: Any = _import("torch.utils.tensorboard", "pip install torch tensorboard")
        self._writer = writers.SummaryWriter(str(directory))

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


def open_tracker(kind: str, *, project: str = "rolltape", name: str | None = None, directory: Any = "runs") -> Tracker:
    """Opens a tracker: `wandb`, `trackio` or `tensorboard`.

    project, name: of the run, in wandb and trackio. directory: of TensorBoard's files; `<directory>/<name>` with a name.

    Raises ValueError for another kind, and ImportError, which says what to install, without the package.
    """
    if kind == "tensorboard":
        return _TensorBoard(Path(directory) / name if name else Path(directory))
    if kind in ("wandb", "trackio"):
        return _Run(_import(kind, f"pip install {kind}"), project, name)
    raise ValueError(f"A tracker must be wandb, trackio or tensorboard; received {kind!r}.")


def follow(path: Any, trackers: Sequence[Tracker], *, wait: Callable[[], bool] | None = None) -> None:
    """Logs the lines of a metrics file.

    wait: called at the end of the file; reads on if it returns true. Without it, the function ends there.
    """
    for line in _lines(Path(path), wait):
        fields = json.loads(line)
        step = int(fields.pop("step"))
        fields.pop("time", None)
        metrics = {name: float(value) for name, value in fields.items() if isinstance(value, (int, float))}
        for tracker in trackers:
            tracker.log(step, metrics)


def _lines(path: Path, wait: Callable[[], bool] | None) -> Iterator[str]:
    """Yields the complete lines of a file. A line that is being written has no end yet."""
    rest = ""
    with open(path) as file:
        while True:
            text = file.read()
            *complete, rest = (rest + text).split("\n")
            yield from complete
            if not text and (wait is None or not wait()):
                return


def _import(module: str, install: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} cannot be imported ({error}): {install}") from error


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", help="the file <out>.metrics.jsonl of a job, or metrics.jsonl of a run")
    parser.add_argument("--to", nargs="+", required=True, choices=["wandb", "trackio", "tensorboard"])
    parser.add_argument("--project", default="rolltape")
    parser.add_argument("--name", default=None, help="of the run")
    parser.add_argument("--directory", default="runs", help="of TensorBoard's files")
    parser.add_argument("--follow", action="store_true", help="wait for further steps, until Ctrl-C")
    options = parser.parse_args()

    def sleep() -> bool:
        time.sleep(FOLLOW_SECONDS)
        return True

    opened = {"project": options.project, "name": options.name, "directory": options.directory}
    trackers = [open_tracker(kind, **opened) for kind in options.to]
    try:
        follow(options.metrics, trackers, wait=sleep if options.follow else None)
    except KeyboardInterrupt:
        pass
    finally:
        for tracker in trackers:
            tracker.close()


if __name__ == "__main__":
    _main()
