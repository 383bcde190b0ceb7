"""A weight transfer for trainers that push tensors into the engine servers themselves, over NCCL for example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..weights.updates import WeightUpdates


class ExternalWeightTransfer:
    """Pauses the engine, calls `push` to transfer the tensors to its servers, sets the version, and resumes.

    push: called as `push(tensors, urls)` while all servers are paused; `tensors` is the trainer's iterator of
        (name, tensor), `urls` are the engine servers to push them to. It returns when all of them have the tensors.
        `rolltape.weights.TensorSender.send` is such a function; its `close` is for `close`.
    open, close: called once before the first update and after the last one, to set up a process group for example.
    exclude: addresses of engine servers to leave out.
    timeout: seconds that pausing and resuming may take.

    The versions are TRL's: 1 after the first update.
    """

    def __init__(
        self,
        url: str,
        admin_key: str,
        push: Callable[[Iterator[tuple[str, Any]], list[str]], None],
        *,
        open: Callable[[], None] | None = None,
        close: Callable[[], None] | None = None,
        exclude: Sequence[str] = (),
        timeout: float = 1800.0,
    ) -> None:
        self._push = push
        self._open = open
        self._close = close
        self._updates = WeightUpdates(url, admin_key, exclude=exclude, timeout=timeout)
        self._urls: list[str] | None = None
        self._version = 0

    @property
    def version(self) -> int:
        """Version of the engine's weights; 0 before the first update."""
        return self._version

    def init_weight_transfer(self) -> None:
        """Checks that the proxy can update weights, and calls `open`."""
        self._updates.check()
        if self._open is not None:
            self._open()

    def pause(self) -> None:
        """Returns when all engine servers are paused.

        Raises WeightsError.
        """
        self._urls = self._updates.begin(self._version + 1)

    def send_weights(self, iterator: Iterator[tuple[str, Any]]) -> None:
        """Calls `push`. If it raises, the engine stays paused: some servers may have new weights, and some old ones."""
        if self._urls is None:
            raise RuntimeError("send_weights was called without pause.")
        try:
            self._push(iterator, self._urls)
        except Exception as error:
            raise RuntimeError(
                f"The weights could not be pushed: {error}. The engine stays paused, because some of its servers may have "
                f"new weights and others old ones. Push again and call Client.finish_weights({self.version + 1}); its "
                "`exclude` leaves servers out. Client.abandon_weights() resumes all servers as they are: use it if none "
                "got a tensor, or after their restart."
            ) from error

    def resume(self) -> None:
        """Sets the version and resumes the engine.

        Raises WeightsError.
        """
        self._updates.finish(self._version + 1)
        self._version += 1
        self._urls = None

    def destroy(self) -> None:
        """Calls `close`. An update that failed is left as it is, because giving it up would resume unknown weights."""
        try:
            if self._close is not None:
                self._close()
        finally:
            self._updates.close()
