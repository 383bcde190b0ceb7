"""Engines that are Python callbacks, such as a trainer's own engine client. Start reading at `engine_bridge.py`."""

from .engine_bridge import EngineBridge, Generate, Reply, engine_bridge
from .trainer_engines import openrlhf, verl

__all__ = ["EngineBridge", "Generate", "Reply", "engine_bridge", "openrlhf", "verl"]
