"""Rolltape for Python: calls of the proxy, batches, advantages and attention masks.

Names are imported when they are used, so that `rolltape.worker` costs no import of httpx and numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import advantages, ratios, trackers
    from . import attention as attention
    from . import data as data
    from . import tables as tables
    from . import vision as vision
    from .batch import Batch, EpisodeInfo, RowInfo, Sample
    from .bridge import EngineBridge, engine_bridge
    from .client import AsyncClient, AsyncSession, Client, Interaction, Session, Trajectories, machine_id
    from .controller import Evaluation, RunState, Step, load_state, rollouts
    from .episode import episode_rows
    from .errors import (
        AuthenticationError,
        BatchError,
        CapacityError,
        ConflictError,
        EngineError,
        GoneError,
        InvalidRequestError,
        NotFoundError,
        RolltapeError,
        ServeError,
        ServerError,
        TransportError,
        WeightsError,
    )
    from .groups import Episode, Group, run_group
    from .notebook import Page, view
    from .server import Server, serve

_MODULES = {
    "batch": ("Batch", "EpisodeInfo", "RowInfo", "Sample"),
    "bridge": ("EngineBridge", "engine_bridge"),
    "client": ("AsyncClient", "AsyncSession", "Client", "Interaction", "Session", "Trajectories", "machine_id"),
    "controller": ("Evaluation", "RunState", "Step", "load_state", "rollouts"),
    "episode": ("episode_rows",),
    "errors": (
        "AuthenticationError",
        "BatchError",
        "CapacityError",
        "ConflictError",
        "EngineError",
        "GoneError",
        "InvalidRequestError",
        "NotFoundError",
        "RolltapeError",
        "ServeError",
        "ServerError",
        "TransportError",
        "WeightsError",
    ),
    "groups": ("Episode", "Group", "run_group"),
    "notebook": ("Page", "view"),
    "server": ("Server", "serve"),
}
_SUBMODULES = ("advantages", "attention", "data", "ratios", "tables", "trackers", "vision")
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

# Without `attention`, `data` and `vision`, which need PyTorch, and `tables`, which needs pyarrow.
__all__ = [
    "AsyncClient",
    "AsyncSession",
    "AuthenticationError",
    "Batch",
    "BatchError",
    "CapacityError",
    "Client",
    "ConflictError",
    "EngineBridge",
    "EngineError",
    "Episode",
    "EpisodeInfo",
    "Evaluation",
    "GoneError",
    "Group",
    "Interaction",
    "InvalidRequestError",
    "NotFoundError",
    "Page",
    "RolltapeError",
    "RowInfo",
    "RunState",
    "Sample",
    "ServeError",
    "Server",
    "ServerError",
    "Session",
    "Step",
    "Trajectories",
    "TransportError",
    "WeightsError",
    "advantages",
    "engine_bridge",
    "episode_rows",
    "load_state",
    "machine_id",
    "ratios",
    "rollouts",
    "run_group",
    "serve",
    "trackers",
    "view",
]


def __getattr__(name: str) -> object:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
