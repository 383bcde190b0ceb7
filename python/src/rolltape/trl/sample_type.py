"""TRL's sample type, which is imported when it is needed."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

_MODULE = "trl.experimental.async_grpo.async_rollout_worker"
# The fields with which rollout_worker.py creates a RolloutSample.
FIELDS = (
    "prompt",
    "completion",
    "input_ids",
    "completion_mask",
    "old_log_probs",
    "advantage",
    "model_version",
    "group_id",
    "metrics",
    "enqueued_at",
)


def load_sample_type() -> Callable[..., Any]:
    """Returns TRL's RolloutSample.

    Raises ImportError if TRL is missing, or if its version has another protocol.
    """
    needed = "rolltape.trl.RolloutWorker needs TRL 1.13 or a later version with AsyncGRPOTrainer's worker protocol"
    try:
        import trl
    except ImportError as error:
        raise ImportError(f"{needed}. Install it: pip install 'trl>=1.13'. ({error})") from error
    version = getattr(trl, "__version__", "unknown")
    try:
        sample_type: Callable[..., Any] = importlib.import_module(_MODULE).RolloutSample
    except (ImportError, AttributeError) as error:
        raise ImportError(f"{needed}; TRL {version} cannot load {_MODULE}.RolloutSample. ({error})") from error
    fields = {field.name: field for field in dataclasses.fields(sample_type)}  # type: ignore[arg-type]
    missing = sorted(set(FIELDS) - set(fields))
    unknown = sorted(name for name, field in fields.items() if name not in FIELDS and not _has_default(field))
    if missing or unknown:
        raise ImportError(f"{needed}; RolloutSample of TRL {version} lacks {missing} and requires {unknown}.")
    return sample_type


def _has_default(field: Any) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
