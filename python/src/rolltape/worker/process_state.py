"""Saves and restores the environment and the working directory of the process."""

from __future__ import annotations

import os
from collections.abc import Mapping


class ProcessState:
    """Environment and working directory as they are now, to be restored after a task that changed them."""

    def __init__(self) -> None:
        self._environment = dict(os.environ)
        self._directory = os.getcwd()

    def enter(self, environment: Mapping[str, str] | None) -> None:
        """Adds the variables of a task, if it has any."""
        if environment is not None:
            os.environ.update(environment)

    def restore(self) -> bool:
        """Restores both. Returns false if the working directory no longer exists."""
        for name in os.environ.keys() - self._environment.keys():
            del os.environ[name]
        for name, value in self._environment.items():
            if os.environ.get(name) != value:
                os.environ[name] = value
        try:
            os.chdir(self._directory)
        except OSError:
            return False
        return True
