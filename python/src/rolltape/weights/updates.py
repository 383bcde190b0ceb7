"""Weight updates of a proxy, from the trainer's side."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ..client import Client
from ..errors import RolltapeError, WeightsError

if TYPE_CHECKING:
    from ..client.records import WeightsRecord

# How long one call may wait for an update. An HTTP proxy in between may cut longer calls.
_WAIT_SECONDS = 60.0
_POLL_SECONDS = 0.1
_ADVICE = (
    "The engine stays paused, and its tokens keep version {version}. Correct the cause and update again: the next update "
    "repairs the engine. Or leave engine servers out (`exclude`), or give up the update: Client.abandon_weights(), "
    "`rolltape weights URL --give-up`."
)


class WeightUpdates:
    """Makes the calls of weight updates, and waits until they have ended.

    model: the model to update, of a server with `engines`.
    exclude: addresses of engine servers to leave out.
    timeout: seconds that a call may take, with the wait for its end.
    """

    def __init__(
        self, url: str, admin_key: str, *, exclude: Sequence[str], timeout: float, model: str | None = None
    ) -> None:
        self._address = (url, admin_key)
        self._open_client: Client | None = None
        self._exclude = tuple(exclude)
        self._timeout = timeout
        self._model = model

    @property
    def _client(self) -> Client:
        # Made when it is needed, because a trainer may train again after its end.
        if self._open_client is None:
            self._open_client = Client(*self._address)
        return self._open_client

    def check(self) -> None:
        """Raises RolltapeError if the proxy cannot update weights now."""
        record = self.record()
        if record["state"] not in ("idle", "failed"):
            raise WeightsError(
                "weights_busy",
                f"An update to version {record['target_version']} is in progress ({record['state']}). Wait for its end, "
                "or give it up: Client.abandon_weights().",
                details={"weights": record},
            )

    def record(self) -> WeightsRecord:
        """Returns the record of the running or last update."""
        return self._client.weights(model=self._model)

    def load(self, version: int, path: str | os.PathLike[str]) -> WeightsRecord:
        """Loads a folder. The engine has resumed with it when this returns."""
        deadline = time.monotonic() + self._timeout
        try:
            record = self._client.update_weights(
                version, path, exclude=self._exclude, model=self._model, wait_seconds=self._wait_seconds
            )
            return self._wait(record, {"idle"}, version, deadline)
        except WeightsError as error:
            raise _explain(error) from error

    def begin(self, version: int) -> list[str]:
        """Pauses the engine. Returns the addresses of the engine servers, to which the caller then pushes the tensors."""
        deadline = time.monotonic() + self._timeout
        try:
            record = self._client.begin_weights(
                version, exclude=self._exclude, model=self._model, wait_seconds=self._wait_seconds
            )
            servers = self._wait(record, {"external"}, version, deadline)["servers"]
        except WeightsError as error:
            if error.code != "weights_busy":
                raise _explain(error) from error
            record = self.record()
            if (record["state"], record["target_version"]) != ("external", version):
                raise
            # A repetition that leaves out servers of the pause.
            servers = record["servers"]
        left_out = {url.rstrip("/") for url in self._exclude}
        return [
            server["url"]
            for server in servers
            if server["state"] != "excluded" and server["url"].rstrip("/") not in left_out
        ]

    def finish(self, version: int) -> WeightsRecord:
        """Sets the version that `begin` announced, and resumes the engine."""
        deadline = time.monotonic() + self._timeout
        try:
            record = self._client.finish_weights(version, exclude=self._exclude, model=self._model)
            return self._wait(record, {"idle"}, version, deadline)
        except WeightsError as error:
            raise _explain(error) from error

    def abandon(self) -> WeightsRecord:
        """Gives up the update, and resumes the engine."""
        return self._client.abandon_weights(model=self._model)

    def close(self) -> None:
        """Closes the connections. The next call opens new ones."""
        if self._open_client is not None:
            self._open_client.close()
            self._open_client = None

    @property
    def _wait_seconds(self) -> float:
        return min(self._timeout, _WAIT_SECONDS)

    def _wait(self, record: WeightsRecord, wanted: Collection[str], target: int, deadline: float) -> WeightsRecord:
        while record["state"] not in wanted:
            if record["state"] == "failed":
                raise WeightsError("weights_failed", record["error"] or "No reason given.", details={"weights": record})
            if record["state"] == "idle":
                raise _ended_error(record, target)
            if time.monotonic() > deadline:
                raise RolltapeError(
                    "weights_timed_out",
                    f"The update to version {target} is still {record['state']} after {self._timeout:g} seconds. It goes "
                    "on: follow it with Client.weights(), or give it up with Client.abandon_weights().",
                    details={"weights": record},
                )
            time.sleep(_POLL_SECONDS)
            record = self.record()
        if record["state"] == "idle" and record["version"] != target:
            raise _ended_error(record, target)
        return record


def _ended_error(record: WeightsRecord, target: int) -> WeightsError:
    """Returns the error of an update that ended without its version becoming current."""
    why = record["error"] or "It was given up, or somebody else made another update."
    message = f"The update to version {target} ended. {why} The engine goes on with version {record['version']}."
    return WeightsError("weights_failed", message, details={"weights": record})


def _explain(error: WeightsError) -> WeightsError:
    record = error.record
    if record is None or record["state"] != "failed":
        return error
    servers = ", ".join(
        f"{server['url']}: {server['state']}, "
        + ("version unknown" if server["version"] is None else f"version {server['version']}")
        + (f" ({server['error']})" if server["error"] else "")
        for server in record["servers"]
    )
    message = f"{error.message} {_ADVICE.format(version=record['version'])} Servers: {servers}."
    return WeightsError(
        error.code,
        message,
        status=error.status,
        param=error.param,
        retry_after=error.retry_after,
        details=error.details,
    )
