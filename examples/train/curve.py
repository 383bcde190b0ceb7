"""Shows the rewards of runs in the terminal and as a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

WIDTH = 40


class Curve(Protocol):
    """rewards: mean reward of each step."""

    seed: int
    shuffled: bool
    rewards: list[float]


def terminal_line(step: int, reward: float, note: str = "") -> str:
    """Returns one line of a curve: a bar from 0 to 1."""
    bar = "█" * round(reward * WIDTH)
    return f"step {step:3}  reward {reward:.3f}  {bar:<{WIDTH}}  {note}".rstrip()


def write_png(path: Path, runs: Sequence[Curve]) -> None:
    """Draws one line for each run."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    for run in runs:
        label = f"seed {run.seed}" + (", rewards shuffled" if run.shuffled else "")
        axes.plot(range(1, len(run.rewards) + 1), run.rewards, "--" if run.shuffled else "-", label=label)
    axes.set(xlabel="step (weight version)", ylabel="mean reward of a turn", ylim=(0, 1.02))
    axes.set_title("GRPO on the tiny model")
    axes.grid(alpha=0.3)
    axes.legend(loc="center right")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
