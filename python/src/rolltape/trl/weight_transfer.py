"""The weight transfer of TRL's AsyncGRPOTrainer, over a folder that the engine reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .checkpoint import BaseCheckpoint, VersionFolders, write_checkpoint
from .weight_updates import WeightUpdates

Tensors = Iterator[tuple[str, Any]]


class WeightTransfer:
    """Writes the trainer's weights as safetensors and lets the proxy load them (`POST /rl/weights`).

    For the embedded engine, and for engine servers that see the folder. The versions are TRL's: 1 after the first update.

    url, admin_key: the proxy or gateway.
    directory: where a folder for each version is written, such as one in /dev/shm. Each is complete when it gets its name.
    base: local folder of the model that is trained. Its configuration is copied, and weights that the trainer does not send
        because they are frozen.
    keep: how many folders are kept.
    engine_directory: `directory` as the engine sees it, if that differs.
    dtype: PyTorch's name of the type to store, such as `bfloat16`. None keeps the trainer's.
    convert: maps the trainer's iterator of (name, tensor) to one with the names of the checkpoint, for example to merge
        LoRA adapters.
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
        convert: Callable[[Tensors], Iterable[tuple[str, Any]]] | None = None,
        exclude: Sequence[str] = (),
        timeout: float = 1800.0,
    ) -> None:
        self._base = BaseCheckpoint(base)
        self._folders = VersionFolders(directory, keep)
        self._engine_directory = None if engine_directory is None else Path(engine_directory)
        self._dtype = dtype
        self._convert = convert
        self._updates = WeightUpdates(url, admin_key, exclude=exclude, timeout=timeout)

    @property
    def version(self) -> int:
        """Version of the engine's weights; 0 before the first update."""
        return self._updates.version

    def init_weight_transfer(self) -> None:
        """Checks that the proxy can update weights, and that the folder can be written.

        Raises WeightsError `weights_busy`, or OSError.
        """
        self._updates.check()
        self._folders.directory.mkdir(parents=True, exist_ok=True)

    def pause(self) -> None:
        """Does nothing: the engine generates while the tensors are written. The proxy pauses it only for the load."""

    def send_weights(self, iterator: Tensors) -> None:
        """Writes the tensors, one at a time, and lets the engine load them. It has resumed with the next version then.

        TRL tells the rollout worker the version later than it resumes the engine, so the proxy sets it with the load.

        Raises WeightsError if an engine server cannot load them: the engine stays paused. Raises ValueError if the names
        are not those of `base`.
        """
        tensors = iterator if self._convert is None else self._convert(iterator)
        folder = self._folders.write(
            self.version + 1, lambda part: write_checkpoint(part, tensors, self._base, dtype=self._dtype)
        )
        self._updates.load(self._seen_by_engine(folder))
        self._folders.remove_old()

    def resume(self) -> None:
        """Does nothing: `send_weights` has resumed the engine."""

    def destroy(self) -> None:
        """Closes the connections. The last folders are kept."""
        self._updates.close()

    def _seen_by_engine(self, folder: Path) -> Path:
        return folder if self._engine_directory is None else self._engine_directory / folder.name
