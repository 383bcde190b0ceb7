"""The weight transfer of TRL's AsyncGRPOTrainer, over a folder that the engine reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..weights import WeightFolder

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
        self._weights = WeightFolder(
            url,
            admin_key,
            directory,
            base=base,
            keep=keep,
            engine_directory=engine_directory,
            dtype=dtype,
            exclude=exclude,
            timeout=timeout,
        )
        self._convert = convert
        self._version = 0

    @property
    def version(self) -> int:
        """Version of the engine's weights; 0 before the first update."""
        return self._version

    def init_weight_transfer(self) -> None:
        """Checks that the proxy can update weights, and that the folder can be written.

        Raises WeightsError `weights_busy`, or OSError.
        """
        self._weights.check()

    def pause(self) -> None:
        """Does nothing: the engine generates while the tensors are written. The proxy pauses it only for the load."""

    def send_weights(self, iterator: Tensors) -> None:
        """Writes the tensors, one at a time, and lets the engine load them. It has resumed with the next version then.

        TRL tells the rollout worker the version later than it resumes the engine, so the proxy sets it with the load.

        Raises WeightsError if an engine server cannot load them: the engine stays paused. Raises ValueError if the names
        are not those of `base`.
        """
        tensors = iterator if self._convert is None else self._convert(iterator)
        self._weights.push(self._version + 1, tensors)
        self._version += 1

    def resume(self) -> None:
        """Does nothing: `send_weights` has resumed the engine."""

    def destroy(self) -> None:
        """Closes the connections. The last folders are kept."""
        self._weights.close()
