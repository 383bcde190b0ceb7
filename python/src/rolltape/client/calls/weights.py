"""Calls that update the weights of the engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from urllib.parse import urlencode

from ..call import DEFAULT_TIMEOUT, Call, read_object, without_none
from ..records import WeightsRecord

_PATH = "/rl/weights"


def update_weights(
    version: int,
    path: str | os.PathLike[str],
    *,
    exclude: Sequence[str] = (),
    allow_partial: bool = False,
    lora: str | None = None,
    model: str | None = None,
    wait_seconds: float = 600.0,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[WeightsRecord]:
    """Pauses the engine, loads `path` on every server, sets the version, and resumes.

    version: the weight version of tokens from here on, 0 or more.
    path: a folder or file that the engine can read on its own machine.
    exclude: addresses of engine servers to leave out. They are drained and keep their version.
    allow_partial: load the weights even if tensors of the model are missing or have other shapes.
    lora: name of the LoRA adapter in the folder `path`, which no other one has had. It is loaded while calls run.
    model: the model to update, of a server with `engines`. Required if several are not frozen.
    wait_seconds: the call returns after this time even if the load goes on: then `state` is not `idle`, and `weights`
        has the progress. 0 returns at once.

    Raises WeightsError `weights_incomplete` if `path` lacks tensors of the model: nothing is paused. Raises WeightsError
    `weights_failed` if a server cannot load them: everything stays paused, and `record` has each
    server's version. Raises WeightsError `weights_busy` if another update is running.
    """
    partial = True if allow_partial else None
    folder = os.fspath(path)
    weights = {"path": folder} if lora is None else {"lora": {"name": lora, "path": folder}}
    body = _body(version, exclude, model, **weights, allow_partial=partial, wait_seconds=wait_seconds)
    # The proxy loads the same version and path only once, so the call can be repeated if its connection breaks.
    return Call("POST", _PATH, read_object, body, timeout=timeout + wait_seconds)


def begin_weights(
    version: int,
    *,
    exclude: Sequence[str] = (),
    sleep: bool = False,
    model: str | None = None,
    wait_seconds: float = 600.0,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[WeightsRecord]:
    """Pauses the engine for a trainer that pushes its tensors itself. `finish_weights` ends the pause.

    sleep: the engine servers free the memory of their devices meanwhile. `finish_weights` then needs a `path`.

    The engine is paused when `state` of the answer is `external`. Raises as update_weights.
    """
    body = _body(version, exclude, model, mode="external", sleep=sleep or None, wait_seconds=wait_seconds)
    return Call("POST", _PATH, read_object, body, timeout=timeout + wait_seconds, idempotent=False)


def finish_weights(
    version: int,
    path: str | os.PathLike[str] | None = None,
    *,
    exclude: Sequence[str] = (),
    model: str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
) -> Call[WeightsRecord]:
    """Flushes prefix caches, sets the version, and resumes the engine after begin_weights.

    path: the weights with which servers wake up that begin_weights has put to sleep.
    """
    body = _body(version, exclude, model, path=None if path is None else os.fspath(path))
    return Call("POST", f"{_PATH}/finish", read_object, body, timeout=timeout, idempotent=False)


def abandon_weights(*, model: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Call[WeightsRecord]:
    """Gives up an update: resumes the servers with known weights of one version, and drains the others."""
    return Call("DELETE", _path(model), read_object, timeout=timeout)


def weights(*, model: str | None = None, timeout: float = DEFAULT_TIMEOUT) -> Call[WeightsRecord]:
    """Returns the running or the last update, with the version of each engine server."""
    return Call("GET", _path(model), read_object, timeout=timeout)


def _path(model: str | None) -> str:
    return _PATH if model is None else f"{_PATH}?{urlencode({'model': model})}"


def _body(version: int, exclude: Sequence[str], model: str | None, **fields: object) -> dict[str, object]:
    return without_none(version=version, exclude=list(exclude) or None, model=model, **fields)
