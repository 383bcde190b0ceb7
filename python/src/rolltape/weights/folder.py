"""Transfers weights over a folder that the trainer and the engine see."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .checkpoint import BaseCheckpoint, VersionFolders, write_checkpoint
from .updates import WeightUpdates

if TYPE_CHECKING:
    from ..client.records import WeightsRecord


class WeightFolder:
    """Writes weights as safetensors and lets the proxy load them (`POST /rl/weights`). A context manager.

    url, admin_key: the proxy or gateway.
    directory: where a folder for each version is written, such as one in /dev/shm. Each is complete when it gets its name.
    base: local folder of the model that is trained. Its configuration is copied, and tensors that are not pushed because
        they are frozen.
    keep: how many folders are kept.
    engine_directory: `directory` as the engine sees it, if that differs.
    dtype: PyTorch's name of the type to store, such as `bfloat16`. None keeps the trainer's.
    model: the model to update, of a server with `engines`.
    exclude: addresses of engine servers to leave out.
    timeout: seconds that an update may take.
    """

    def __init__(
        self,
        url: str,
        admin_key: str,
        directory: str | os.PathLike[str],
        *,
        base: str | os.PathLike[str],
        keep: int = 2,
        engine_directory: str | os.PathLike[str] | None = None,
        dtype: str | None = None,
        model: str | None = None,
        exclude: Sequence[str] = (),
        timeout: float = 1800.0,
    ) -> None:
        self._base = BaseCheckpoint(base)
        self._folders = VersionFolders(directory, keep)
        self._engine_directory = None if engine_directory is None else Path(engine_directory)
        self._dtype = dtype
        self._updates = WeightUpdates(url, admin_key, exclude=exclude, timeout=timeout, model=model)

    def check(self) -> None:
        """Checks that the proxy can update weights, and that the folder can be written.

        Raises WeightsError `weights_busy`, or OSError.
        """
        self._updates.check()
        self._folders.directory.mkdir(parents=True, exist_ok=True)

    def push(self, version: int, tensors: Iterable[tuple[str, Any]]) -> WeightsRecord:
        """Writes the tensors, one at a time, and lets the engine load them. It has resumed with them when this returns.

        tensors: names of the checkpoint with PyTorch tensors or numpy arrays.

        Raises WeightsError as Client.update_weights; the folder is kept. Raises ValueError if the names are not those of
        `base`.
        """
        folder = self._folders.write(
            version, lambda part: write_checkpoint(part, tensors, self._base, dtype=self._dtype)
        )
        seen = folder if self._engine_directory is None else self._engine_directory / folder.name
        record = self._updates.load(version, seen)
        self._folders.remove_old()
        return record

    def close(self) -> None:
        """Closes the connections. The last folders are kept."""
        self._updates.close()

    def __enter__(self) -> WeightFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
