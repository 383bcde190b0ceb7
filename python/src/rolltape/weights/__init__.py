"""Transfers a trainer's weights to the engine, in files or as tensors. Start reading at `push.py`.

Imports PyTorch only when tensors are sent, and vLLM only for its NCCL groups.
"""

from __future__ import annotations

from .folder import WeightFolder
from .push import WeightPush
from .sender import TensorSender

__all__ = ["TensorSender", "WeightFolder", "WeightPush"]
