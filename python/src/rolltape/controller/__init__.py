"""The loop of a trainer: batches of rollouts while the weights change. Start reading at `rollouts.py`."""

from .evaluation import Evaluation
from .rollouts import rollouts
from .run_state import RunState, load_state
from .step import Step

__all__ = ["Evaluation", "RunState", "Step", "load_state", "rollouts"]
