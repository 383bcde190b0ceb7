"""Trains any program that speaks to the proxy with the trainers of TRL (https://huggingface.co/docs/trl).

`RolloutWorker` and `WeightTransfer` are for AsyncGRPOTrainer, `make_rollout_func` and `weight_sync_callback` for
GRPOTrainer. Start reading at `rollout_worker.py`. It never imports TRL, and it imports
PyTorch and transformers only when they are used.
"""

from __future__ import annotations

from .external_transfer import ExternalWeightTransfer
from .rewards import rollout_reward
from .rollout_func import make_rollout_func
from .rollout_worker import RolloutWorker
from .weight_sync import weight_sync_callback
from .weight_transfer import WeightTransfer

__all__ = [
    "ExternalWeightTransfer",
    "RolloutWorker",
    "WeightTransfer",
    "make_rollout_func",
    "rollout_reward",
    "weight_sync_callback",
]
