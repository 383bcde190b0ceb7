"""Environments of verifiers as agents. Start reading at `load.py`."""

from .load import EnvironmentAgent, load

__all__ = ["EnvironmentAgent", "load"]
