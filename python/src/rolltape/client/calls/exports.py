"""Calls that export sessions. Options are spelled as in docs/reference/http-api.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from ...batch import Batch
from ...batch.image_files import move_images
from ..call import Call, Reply, invalid_reply, list_of_ids, read_json, without_none
from ..machine import machine_id
from ..options import export_timeout
from ..records import SharedFile
from ..shared_batch import Delivery
from ..trajectories import Trajectories, read_trajectories

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..options import BatchOptions, ExportOptions, FileOptions, LeaseOptions, SessionsOptions, SharedOptions

T = TypeVar("T")

_PATH = "/export_batch"
_EXPORT_ID = "x-rolltape-export-id"
_SAFETENSORS = "application/vnd.safetensors"
# Longer than the repetitions take if a gateway waits for a worker meanwhile: almost 60 s with its defaults.
ACKNOWLEDGE_TIMEOUT = 90.0


def export_trajectories(
    session_id: str,
    *,
    include_messages: bool = False,
    timeout: float | None = None,
    **options: Unpack[ExportOptions],
) -> Call[Trajectories]:
    """Returns what one session recorded. The session must have ended, or end within `wait_seconds`.

    include_messages: adds the messages, which are untrusted text. Each interaction repeats its conversation so far.
    timeout: seconds; default 600 and the waits that the options ask for.
    """
    include = ["messages"] if include_messages else None
    body = without_none(session_id=session_id, include=include, **options)
    limit = export_timeout(timeout, options)
    return Call("POST", "/export_trajectories", read_trajectories, body, timeout=limit)


def export_batch(
    session_ids: Sequence[str], *, timeout: float | None = None, **options: Unpack[BatchOptions]
) -> Call[Batch]:
    """Exports sessions as one batch in this process's memory: all of them, or none."""
    return _export(session_ids, timeout, options, _read_batch)


def export_batch_to(
    path: str | os.PathLike[str],
    session_ids: Sequence[str],
    *,
    timeout: float | None = None,
    **options: Unpack[FileOptions],
) -> Call[None]:
    """Exports sessions into a file, which is written while the batch arrives.

    The file may be incomplete if the call fails. `Batch.open(path)` reads it.

    image_bytes: `files` moves the images into the folder `<path>.images` once the batch has arrived: see
        docs/reference/batch-format.md#images.
    """
    fields: dict[str, object] = {**options}
    moves = fields.pop("image_bytes", "tensor") == "files"
    return _export(session_ids, timeout, fields, lambda reply: move_images(path) if moves else None, Path(path))


def export_sessions_to(
    path: str | os.PathLike[str],
    session_ids: Sequence[str],
    *,
    timeout: float | None = None,
    **options: Unpack[SessionsOptions],
) -> Call[None]:
    """Writes the records of sessions into a file, from which `rolltape export --from` makes batches.

    The sessions stay as they are. The file may be incomplete if the call fails; `rolltape export` refuses it then.
    """
    body = without_none(session_ids=list_of_ids(session_ids), **options)
    limit = export_timeout(timeout, options)
    return Call("POST", "/export_sessions", lambda reply: None, body, timeout=limit, file=Path(path))


def export_held_batch(
    session_ids: Sequence[str], *, timeout: float | None = None, **options: Unpack[LeaseOptions]
) -> Call[tuple[str, Batch]]:
    """Exports sessions, which the proxy keeps until `acknowledge`. Returns the id to acknowledge, and the batch."""
    return _export(session_ids, timeout, {**options, "acknowledge": True}, _read_held)


def export_shared_files(
    session_ids: Sequence[str], *, timeout: float | None = None, **options: Unpack[SharedOptions]
) -> Call[list[SharedFile]]:
    """Exports sessions as files in shared memory: one, or one for each of `shards`. It is sent only once.

    `reader_pid` is this process by default: if it ends, the files are removed. Acknowledge each file's `id`, or use
    `shared_batch`, which does.
    """
    return _export_shared(session_ids, timeout, options, _read_files)


def deliver_shared(session_ids: Sequence[str], options: SharedOptions) -> Call[Delivery]:
    """As export_shared_files, but a proxy on another machine may send the batch instead."""
    fields: dict[str, object] = {**options}
    machine = machine_id()
    if fields.get("shard_by") == "workers" and machine is not None:
        fields.setdefault("reader_hosts", [machine])
    return _export_shared(session_ids, None, fields, _read_delivery)


def acknowledge(batch_id: str, *, timeout: float = ACKNOWLEDGE_TIMEOUT) -> Call[bool]:
    """Tells the proxy that a batch has been stored or read, so that its sessions or its memory are freed.

    Returns false if the batch was acknowledged before, or if it was in shared memory and its lease has ended.

    Raises GoneError `export_lease_ended` if the sessions can be exported again. Drop the batch then.
    Raises ServerError `worker_unavailable` if a worker of a gateway does not answer. Acknowledge it again later.
    """
    return Call(
        "DELETE",
        f"{_PATH}/{quote(batch_id, safe='')}",
        lambda reply: reply.status < 300,
        timeout=timeout,
        repeat_if_unavailable=True,
        absent="batch_not_found",
    )


def _export(
    session_ids: Sequence[str],
    timeout: float | None,
    options: Mapping[str, object],
    read: Callable[[Reply], T],
    file: Path | None = None,
) -> Call[T]:
    body = without_none(session_ids=list_of_ids(session_ids), **{**options, "transport": "body"})
    return Call("POST", _PATH, read, body, timeout=export_timeout(timeout, options), file=file)


def _export_shared(
    session_ids: Sequence[str],
    timeout: float | None,
    options: Mapping[str, object],
    read: Callable[[Reply], T],
) -> Call[T]:
    fields = {"reader_pid": os.getpid(), **options, "transport": "shm"}
    body = without_none(session_ids=list_of_ids(session_ids), **fields)
    return Call("POST", _PATH, read, body, timeout=export_timeout(timeout, options), idempotent=False)


def _read_batch(reply: Reply) -> Batch:
    return Batch.from_bytes(reply.body)


def _read_held(reply: Reply) -> tuple[str, Batch]:
    batch_id = reply.headers.get(_EXPORT_ID)
    if batch_id is None:
        raise invalid_reply(f"the batch has no header {_EXPORT_ID}")
    return batch_id, _read_batch(reply)


def _read_delivery(reply: Reply) -> Delivery:
    if reply.headers.get("content-type") != _SAFETENSORS:
        return Delivery(_read_files(reply))
    return Delivery([], _read_batch(reply), reply.headers.get(_EXPORT_ID))


def _read_files(reply: Reply) -> list[SharedFile]:
    answer = read_json(reply)
    files: list[SharedFile] = answer.get("shards", [answer])
    if not all(isinstance(file.get("id"), str) and isinstance(file.get("path"), str) for file in files):
        raise invalid_reply("a file of the batch has no `id` or no `path`")
    return files
