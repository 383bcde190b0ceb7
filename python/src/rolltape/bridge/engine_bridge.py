"""Serves a Python callback as an engine: a small HTTP server with SGLang's wire format, on the loopback interface."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Literal

from .http import Connection, Request, Response

Version = int | tuple[int, int] | None
"""The weight version of all tokens of a reply; the oldest and the newest if it changed in between; None if it is not known."""

Reason = Literal["stop", "length", "abort"]

Reply = tuple[Sequence[int], Sequence[float], Reason, Version]
"""Sampled ids with the stop token, their log probabilities, why the generation ended, and the weight version.

`abort`: the engine ended it for a weight update. The proxy requests the rest of it.
"""

Generate = Callable[[list[int], dict[str, Any], str], Awaitable[Reply]]
"""Called with the prompt's ids, SGLang's `sampling_params`, and a key that all calls of a session share."""


_CONTINUED = {"message": "Generation continued successfully.", "status": "ok"}


def engine_bridge(generate: Generate, *, context_length: int) -> EngineBridge:
    """Serves `generate` as an engine while the block runs: `with engine_bridge(generate, context_length=8192) as bridge`.

    The proxy uses it with `{"engine.type": "sglang", "engine.urls": bridge.url}`. If the block is entered in an event loop,
    `generate` runs in this loop, else in a loop of the server's thread. A call whose client has gone is cancelled.

    context_length: maximum tokens of prompt and output together.
    """
    return EngineBridge(generate, context_length)


class EngineBridge:
    """The server of a callback. `url`: its address, in the block."""

    def __init__(self, generate: Generate, context_length: int) -> None:
        self.url = ""
        self._generate, self._context_length = generate, context_length
        self._caller: asyncio.AbstractEventLoop | None = None
        self._running: dict[str, asyncio.Future[Reply]] = {}
        self._version = "default"

    def __enter__(self) -> EngineBridge:
        try:
            self._caller = asyncio.get_running_loop()
        except RuntimeError:
            self._caller = None
        started: Future[int] = Future()
        # Its own thread, so that it answers while the caller's loop is blocked, for example by `rolltape.serve`.
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{started.result()}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    async def _serve(self, started: Future[int]) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await asyncio.start_server(
                lambda *streams: Connection(*streams).serve(self._answer), "127.0.0.1", 0
            )
        except BaseException as error:
            started.set_exception(error)
            raise
        started.set_result(server.sockets[0].getsockname()[1])
        await self._stopped.wait()
        # The end of the loop cancels open connections.
        server.close()

    async def _answer(self, request: Request, gone: asyncio.Future[Any]) -> Response:
        routes: dict[str, tuple[str, Callable[[dict[str, Any]], Response]]] = {
            "/server_info": ("GET", lambda _: Response.of_json({"max_req_input_len": self._context_length})),
            "/model_info": ("GET", lambda _: Response.of_json({"weight_version": self._version})),
            "/health": ("GET", lambda _: Response(200)),
            "/abort_request": ("POST", self._abort),
            # Nothing is ever paused. With this, the proxy can give up an update of weights that it cannot make.
            "/continue_generation": ("POST", lambda _: Response.of_json(_CONTINUED)),
        }
        method, route = routes.get(request.path, ("POST", None))
        if route is None and request.path != "/generate":
            return Response.of_json({"detail": "Not Found"}, 404)
        if request.method != method:
            return Response.of_json({"detail": "Method Not Allowed"}, 405)
        body = json.loads(request.body or b"{}")
        return route(body) if route else await self._run(body, request.headers.get("x-session-id"), gone)

    def _abort(self, body: dict[str, Any]) -> Response:
        for rid, call in self._running.items():
            if body.get("abort_all") or rid == body.get("rid"):
                call.cancel()
        return Response(200)

    async def _run(self, body: dict[str, Any], session: str | None, gone: asyncio.Future[Any]) -> Response:
        if body.get("top_logprobs_num"):
            return _refuse(body, "The engine bridge returns no top log probabilities.")
        rid, ids, sampling = body["rid"], body["input_ids"], body["sampling_params"]
        call = self._running[rid] = self._start(self._generate(ids, sampling, session or rid))
        gone.add_done_callback(lambda _: call.cancel())
        try:
            await asyncio.wait({call})
            return self._describe(body, ([], [], "abort", None) if call.cancelled() else call.result())
        except Exception as error:
            return _fail(body, f"{type(error).__name__}: {error}")
        finally:
            call.cancel()
            # A request that was sent again has the same id.
            self._running.pop(rid, None)

    def _start(self, call: Awaitable[Reply]) -> asyncio.Future[Reply]:
        running: Coroutine[Any, Any, Reply] = _await(call)
        if self._caller is None:
            return asyncio.ensure_future(running)
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(running, self._caller))

    def _describe(self, body: dict[str, Any], reply: Reply) -> Response:
        ids, logprobs, reason, version = reply
        spans = []
        if isinstance(version, tuple) and version[0] != version[1]:
            self._version = str(version[1])
        elif version is not None:
            self._version = str(version[0] if isinstance(version, tuple) else version)
            spans = [{"version": self._version, "start": 0, "end": len(ids)}]
        meta: dict[str, Any] = {
            "id": body["rid"],
            "finish_reason": _finish_reason(reason, ids, body["sampling_params"]),
            "prompt_tokens": len(body["input_ids"]),
            "weight_version": "default" if version is None else self._version,
            **_logprobs(ids, logprobs),
        }
        return _encode(
            body, {"output_ids": list(ids), "meta_info": meta | ({"weight_versions": spans} if spans else {})}
        )


async def _await(call: Awaitable[Reply]) -> Reply:
    return await call


def _finish_reason(reason: str, ids: Sequence[int], sampling: dict[str, Any]) -> dict[str, Any]:
    if reason == "length":
        return {"type": "length", "length": len(ids)}
    if reason == "abort":
        # SGLang's messages of a request that ran, and of one that did not.
        return {"type": "abort", "message": "Aborted" if ids else "Abort in waiting queue"}
    # A stop string is not known here.
    matched = {"matched": ids[-1]} if ids and ids[-1] in sampling.get("stop_token_ids", ()) else {}
    return {"type": "stop", **matched}


def _refuse(body: dict[str, Any], message: str) -> Response:
    """Returns the answer to a request that is refused. A stream gets status 200 and an error event, as from SGLang."""
    if not body.get("stream"):
        return Response.of_json({"error": {"message": message}}, 400)
    return _encode(
        body, {"error": {"message": message, "type": "invalid_request_error", "code": 400, "retryable": False}}
    )


def _fail(body: dict[str, Any], message: str) -> Response:
    """The answer to a request that failed while it ran."""
    if not body.get("stream"):
        return Response.of_json({"object": "error", "message": message, "type": "500", "param": None, "code": 500}, 500)
    finish = {"type": "abort", "message": message, "status_code": 500, "err_type": "InternalServerError"}
    return _encode(
        body, {"output_ids": [], "meta_info": {"id": body["rid"], "finish_reason": finish, **_logprobs([], [])}}
    )


def _logprobs(ids: Sequence[int], logprobs: Sequence[float]) -> dict[str, Any]:
    return {
        "completion_tokens": len(ids),
        "output_token_logprobs": [[value, token, None] for value, token in zip(logprobs, ids, strict=True)],
        "output_token_logprobs_length": len(ids),
    }


def _encode(body: dict[str, Any], value: Any) -> Response:
    if not body.get("stream"):
        return Response.of_json(value)
    return Response(200, f"data: {json.dumps(value)}\n\ndata: [DONE]\n\n".encode(), "text/event-stream; charset=utf-8")
