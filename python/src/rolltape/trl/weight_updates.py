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
    "The engine stays paused, and its tokens keep version {version}. Correct the cause and run the training again: its "
    "first update repairs the engine. Or leave engine servers out (`exclude`), or give up the update: "
    "Client.abandon_weights(), `rolltape weights URL --give-up`."
)


class WeightUpdates:
    """Counts versions as TRL does, and waits for updates.

    version: of the engine's weights; 0 before the first update. TRL's first update makes it 1.
    """

    def __init__(self, url: str, admin_key: str, *, exclude: Sequence[str], timeout: float) -> None:
        self._address = (url, admin_key)
        self._open_client: Client | None = None
        self._exclude = tuple(exclude)
        self._timeout = timeout
        self.version = 0

    @property
    def _client(self) -> Client:
        # Made when it is needed, because a trainer may train again after its end.
        if self._open_client is None:
            self._open_client = Client(*self._address)
        return self._open_client

    def check(self) -> None:
        """Raises RolltapeError if the proxy cannot update weights now."""
        record = self._client.weights()
        if record["state"] not in ("idle", "failed"):
            raise WeightsError(
                "weights_busy",
                f"An update to version {record['target_version']} is in progress ({record['state']}). Wait for its end, "
                "or give it up: Client.abandon_weights().",
                details={"weights": record},
            )

    def load(self, path: str | os.PathLike[str]) -> WeightsRecord:
        """Loads a folder as the next version. The engine has resumed with it when this returns."""
        target = self.version + 1
        deadline = time.monotonic() + self._timeout
        try:
            record = self._client.update_weights(
                target, path, exclude=self._exclude, wait_seconds=min(self._timeout, _WAIT_SECONDS)
            )
            record = self._wait(record, {"idle"}, target, deadline)
        except WeightsError as error:
            raise _explain(error) from error
        self.version = target
        return record

    def begin(self) -> WeightsRecord:
        """Pauses the engine for the next version. The caller then pushes the tensors to the engine servers."""
        target = self.version + 1
        deadline = time.monotonic() + self._timeout
        try:
            record = self._client.begin_weights(
                target, exclude=self._exclude, wait_seconds=min(self._timeout, _WAIT_SECONDS)
            )
            return self._wait(record, {"external"}, target, deadline)
        except WeightsError as error:
            raise _explain(error) from error

    def finish(self) -> WeightsRecord:
        """Sets the version that `begin` announced, and resumes the engine."""
        target = self.version + 1
        deadline = time.monotonic() + self._timeout
        try:
            record = self._wait(self._client.finish_weights(target), {"idle"}, target, deadline)
        except WeightsError as error:
            raise _explain(error) from error
        self.version = target
        return record

    def close(self) -> None:
        """Closes the connections. The next call opens new ones."""
        if self._open_client is not None:
            self._open_client.close()
            self._open_client = None

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
            record = self._client.weights()
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
