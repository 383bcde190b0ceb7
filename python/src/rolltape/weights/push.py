"""Pushes tensors to all engine servers of a proxy, as one weight update."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import RolltapeError, WeightsError
from .sender import SendError, TensorSender
from .updates import WeightUpdates

if TYPE_CHECKING:
    from ..client.records import WeightsRecord


class WeightPush:
    """Pauses the engine, sends the tensors to its servers, sets the version, and resumes. A context manager.

    url, admin_key: the proxy or gateway.
    sender: sends the tensors. `close` closes it too.
    model: the model to update, of a server with `engines`.
    exclude: addresses of engine servers to leave out.
    timeout: seconds that the pause, and the end of the update, may take.

    If the trainer has several processes, only the one of rank 0 has a WeightPush.
    """

    def __init__(
        self,
        url: str,
        admin_key: str,
        sender: TensorSender,
        *,
        model: str | None = None,
        exclude: Sequence[str] = (),
        timeout: float = 1800.0,
    ) -> None:
        self._sender = sender
        self._updates = WeightUpdates(url, admin_key, exclude=exclude, timeout=timeout, model=model)

    def push(self, version: int, tensors: Iterable[tuple[str, Any]]) -> WeightsRecord:
        """Updates the weights. The engine has resumed with them when this returns.

        version: of the tokens from here on.
        tensors: names of the checkpoint with PyTorch tensors.

        Raises WeightsError `weights_push_failed` if the tensors could not be sent. If no server has begun to load, the engine
        goes on with its weights. Otherwise it stays paused until a repetition or another update succeeds. Raises
        WeightsError as Client.begin_weights.
        """
        # The weights are known only if no earlier push has stopped in the middle.
        known = self._updates.record()["state"] == "idle"
        urls = self._updates.begin(version)
        try:
            self._sender.send(tensors, urls)
        except Exception as error:
            begun = not isinstance(error, SendError) or error.begun
            raise self._give_up(error) if known and not begun else _failed(version, error) from error
        return self._updates.finish(version)

    def close(self) -> None:
        """Closes the sender and the connections. An update that has failed is left as it is."""
        try:
            self._sender.close()
        finally:
            self._updates.close()

    def __enter__(self) -> WeightPush:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _give_up(self, error: Exception) -> WeightsError:
        try:
            record = self._updates.abandon()
        except RolltapeError as second:
            return WeightsError(
                "weights_push_failed",
                f"{error} No server has begun to load, but the update could not be given up ({second}), so the engine may "
                "still be paused: call Client.abandon_weights(), or `rolltape weights URL --give-up`.",
            )
        return WeightsError(
            "weights_push_failed",
            f"{error} No server has begun to load, so the engine goes on with version {record['version']}.",
            details={"weights": record},
        )


def _failed(version: int, error: Exception) -> WeightsError:
    return WeightsError(
        "weights_push_failed",
        f"{error} The engine stays paused, because servers may have a part of the new weights. Push version {version} again; "
        "`exclude` leaves out servers. Or give up (Client.abandon_weights(), `rolltape weights URL --give-up`), which "
        "resumes the servers as they are, and update from a path at once.",
    )
