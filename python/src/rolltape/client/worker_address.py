"""Decides whether model calls of a session can go to its worker directly."""

from __future__ import annotations

from .call import Call, Reply, read_object
from .started_session import StartedSession

# If a worker does not answer within so many seconds, its calls go through the gateway.
PROBE_TIMEOUT = 3.0


def worker_probe(started: StartedSession, address: str) -> Call[bool]:
    """Returns true if the session's own worker answers at the address.

    A gateway returns the address that it uses itself. From another machine, it may be unreachable or belong to another
    worker.
    """

    def has_tag(reply: Reply) -> bool:
        worker = read_object(reply).get("worker")
        return isinstance(worker, dict) and worker.get("tag") == started.worker_tag

    # The status does not matter: a worker has the session even if its engine is unavailable at the moment.
    return Call(
        "GET",
        "/health",
        has_tag,
        timeout=PROBE_TIMEOUT,
        idempotent=False,
        accepted=(503,),
        base_url=address,
        key="",
    )
