"""Shows a curve of rewards in the terminal and as a PNG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

WIDTH = 40


def terminal_line(step: int, reward: float, note: str = "") -> str:
    """Returns one line of the curve: a bar from 0 to 1."""
    bar = "█" * round(reward * WIDTH)
    return f"step {step:3}  reward {reward:.3f}  {bar:<{WIDTH}}  {note}".rstrip()


def write_png(path: Path, rewards: Sequence[float], title: str) -> None:
    """Writes the mean reward of each step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(range(1, len(rewards) + 1), rewards, marker="o", markersize=3)
    axes.set(xlabel="step (weight version)", ylabel="mean reward of a turn", ylim=(0, 1), title=title)
    axes.grid(alpha=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
