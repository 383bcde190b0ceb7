"""When calls are sent again, and what becomes of their errors. The network is httpx's mock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import rolltape
from rolltape import AsyncClient, Client
from rolltape.client import exchange, transport

Answer = httpx.Response | Exception


class Network:
    """Answers requests in turn, and keeps them."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def error(code: str, status: int, **fields: Any) -> httpx.Response:
    headers = {"retry-after": "2"} if status == 429 else {}
    body = {"error": {"message": f"{code}!", "type": "t", "param": None, "code": code, **fields}}
    return httpx.Response(status, json=body, headers=headers)


def blocking(network: Network, use: Callable[[Client], Any]) -> Any:
    with Client("http://proxy/v1/", "key", http=httpx.Client(transport=httpx.MockTransport(network))) as client:
        return use(client)


def concurrent(network: Network, use: Callable[[Any], Any]) -> Any:
    async def main() -> Any:
        http = httpx.AsyncClient(transport=httpx.MockTransport(network))
        async with AsyncClient("http://proxy/v1/", "key", http=http) as client:
            return await use(client)

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "PAUSES", (0.0, 0.0, 0.0))
    monkeypatch.setattr(exchange, "UNAVAILABLE_PAUSES", (0.0, 0.0, 0.0))


both = pytest.mark.parametrize("send", [blocking, concurrent])
BROKEN = httpx.ReadError("broken")


@both
def test_a_call_without_further_effect_is_sent_four_times_at_most(send: Any) -> None:
    network = Network(BROKEN, httpx.ConnectError("refused"), BROKEN, httpx.Response(200, json={"version": 3}))
    assert send(network, lambda client: client.set_version(3)) == 3
    assert [json.loads(request.content) for request in network.requests] == [{"version": 3}] * 4
    network = Network(*[BROKEN] * 4)
    with pytest.raises(
        rolltape.TransportError, match=r"set_version got no answer: ReadError: broken \(http://[^/]+\)$"
    ) as failure:
        send(network, lambda client: client.set_version(3))
    assert failure.value.code == "connection_failed"
    assert network.answers == []


@both
@pytest.mark.parametrize(
    "use",
    [
        lambda client: client.grant_capacity(),
        lambda client: client.export_shared_files(["s"]),
        lambda client: client.begin_weights(1),
        lambda client: client.run(rolltape.client.calls.start_session()),
    ],
)
def test_a_call_with_an_effect_is_sent_once(send: Any, use: Any) -> None:
    network = Network(BROKEN)
    with pytest.raises(rolltape.TransportError) as failure:
        send(network, use)
    assert failure.value.code == "connection_failed"
    assert len(network.requests) == 1


@both
def test_an_answer_that_refuses_is_not_repeated(send: Any) -> None:
    network = Network(error("store_full", 503, used=5))
    with pytest.raises(rolltape.CapacityError) as failure:
        send(network, lambda client: client.set_version(1))
    assert (failure.value.code, failure.value.details) == ("store_full", {"used": 5})


@both
def test_an_acknowledgement_is_repeated_while_a_worker_is_unavailable(send: Any) -> None:
    unavailable = [error("worker_unavailable", 503) for _ in range(4)]
    network = Network(*unavailable[:3], httpx.Response(200, json={}))
    assert send(network, lambda client: client.acknowledge("batch/1")) is True
    assert {request.url.raw_path for request in network.requests} == {b"/export_batch/batch%2F1"}
    with pytest.raises(rolltape.ServerError) as failure:
        send(Network(*unavailable), lambda client: client.acknowledge("batch-1"))
    assert failure.value.code == "worker_unavailable"


@both
def test_only_the_code_that_means_absent_is_a_result(send: Any) -> None:
    assert send(Network(error("batch_not_found", 404)), lambda client: client.acknowledge("b")) is False
    with pytest.raises(rolltape.GoneError) as failure:
        send(Network(error("export_lease_ended", 410)), lambda client: client.acknowledge("b"))
    assert failure.value.code == "export_lease_ended"
    with pytest.raises(rolltape.NotFoundError):
        send(Network(error("not_found", 404)), lambda client: client.acknowledge("b"))


@both
@pytest.mark.parametrize(
    ("answered", "text", "status"),
    [
        (502, "<html>bad gateway</html>", 502),
        (200, "not json", None),
        (200, "[]", None),
        (200, '{"capacity": "many"}', None),
        (500, '{"error": "no object"}', 500),
    ],
)
def test_an_answer_of_something_else_is_an_invalid_reply(
    send: Any, answered: int, text: str, status: int | None
) -> None:
    with pytest.raises(rolltape.TransportError) as failure:
        send(Network(httpx.Response(answered, text=text)), lambda client: client.grant_capacity())
    assert (failure.value.code, failure.value.status) == ("invalid_reply", status)


@both
def test_a_call_that_takes_too_long_times_out(send: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "PAUSES", (30.0, 30.0, 30.0))
    network = Network(BROKEN)
    with pytest.raises(rolltape.TransportError, match="did not answer within 5 seconds") as failure:
        send(network, lambda client: client.set_version(1, timeout=5))
    assert failure.value.code == "request_timed_out"


def test_an_async_call_is_cut_at_its_time_limit() -> None:
    async def never(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(rolltape.TransportError) as failure:
        concurrent(never, lambda client: client.set_version(1, timeout=0.05))  # type: ignore[arg-type]
    assert failure.value.code == "request_timed_out"


def test_a_cancelled_call_is_cancelled_whenever_its_answer_comes() -> None:
    async def cancel_after(steps: int) -> bool:
        http = httpx.AsyncClient(transport=httpx.MockTransport(Network(httpx.Response(200, json={}))))
        async with AsyncClient("http://proxy", "key", http=http) as client:
            call = asyncio.ensure_future(client.livez())
            for _ in range(steps):
                await asyncio.sleep(0)
            # False if the call had ended before.
            is_cancelled = call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            assert call.cancelled() == is_cancelled
            return is_cancelled

    steps = 0
    while asyncio.run(cancel_after(steps)):
        steps += 1
    assert steps > 2


@both
def test_health_of_a_server_that_is_not_ready_is_a_result(send: Any) -> None:
    answer = httpx.Response(503, json={"status": "draining"})
    assert send(Network(answer), lambda client: client.health()) == {"status": "draining"}


def record(state: str, version: int, **fields: Any) -> dict[str, Any]:
    return {"state": state, "version": version, "target_version": None, "servers": [{"url": "embedded"}], **fields}


@both
def test_weight_updates_send_what_the_caller_asks_for(send: Any) -> None:
    network = Network(httpx.Response(200, json=record("idle", 2)))
    done = send(
        network, lambda client: client.update_weights(2, "/models/step-2", exclude=["http://gpu1"], wait_seconds=5)
    )
    assert done["version"] == 2
    assert json.loads(network.requests[0].content) == {
        "version": 2,
        "path": "/models/step-2",
        "exclude": ["http://gpu1"],
        "wait_seconds": 5,
    }
    network = Network(httpx.Response(200, json=record("idle", 2)))
    send(network, lambda client: client.update_weights(2, "/m", allow_partial=True))
    assert json.loads(network.requests[0].content)["allow_partial"] is True
    network = Network(httpx.Response(202, json=record("loading", 1)), httpx.Response(200, json=record("external", 1)))
    assert send(network, lambda client: client.update_weights(2, "/m", wait_seconds=0))["state"] == "loading"
    network = Network(httpx.Response(200, json=record("external", 1)))
    assert send(network, lambda client: client.begin_weights(2))["state"] == "external"
    assert json.loads(network.requests[0].content) == {"version": 2, "mode": "external", "wait_seconds": 600.0}
    network = Network(*[httpx.Response(200, json=record("idle", 2)) for _ in range(3)])
    send(network, lambda client: client.finish_weights(2))
    network.answers.append(httpx.Response(200, json=record("idle", 2)))
    send(network, lambda client: client.weights())
    send(network, lambda client: client.abandon_weights())
    assert [(request.method, request.url.path) for request in network.requests] == [
        ("POST", "/rl/weights/finish"),
        ("GET", "/rl/weights"),
        ("DELETE", "/rl/weights"),
    ]


@both
@pytest.mark.parametrize("place", ["weights", "record", None])
def test_a_failed_weight_update_has_its_record(send: Any, place: str | None) -> None:
    failed = record("failed", 1)
    fields = failed if place is None else {place: failed}
    with pytest.raises(rolltape.WeightsError) as failure:
        send(Network(error("weights_failed", 502, **fields)), lambda client: client.update_weights(2, "/m"))
    assert failure.value.record is not None
    assert failure.value.record["servers"] == [{"url": "embedded"}]
    with pytest.raises(rolltape.WeightsError) as busy:
        send(Network(error("weights_busy", 409)), lambda client: client.update_weights(2, "/m"))
    assert (busy.value.code, busy.value.record) == ("weights_busy", None)


@both
@pytest.mark.parametrize(("tag", "direct"), [("abc", True), ("other", False)])
def test_model_calls_go_to_the_worker_if_it_answers_at_its_address(send: Any, tag: str, direct: bool) -> None:
    started = {"session_id": "s", "session_api_key": f"sk-abc.{'x' * 20}", "base_url": "http://worker:1"}
    start = httpx.Response(200, json=started)
    network = Network(start, httpx.Response(503, json={"worker": {"tag": tag}}), httpx.Response(200, json=started))

    def use(client: Any) -> Any:
        if isinstance(client, Client):
            return client.session().base_url, client.session().base_url

        async def both_sessions() -> Any:
            return (await client.session()).base_url, (await client.session()).base_url

        return both_sessions()

    expected = "http://worker:1" if direct else "http://proxy"
    assert send(network, use) == (expected, expected)
    # The worker is asked once for all its sessions, and never sees the admin key.
    probe = network.requests[1]
    assert (str(probe.url), probe.headers["authorization"]) == ("http://worker:1/health", "Bearer ")
    assert len(network.requests) == 3


def test_addresses_lose_their_version_and_slashes() -> None:
    assert transport.proxy_url("http://h:1/v1/") == "http://h:1"
    assert transport.proxy_url("https://h/a/v1?x=1") == "https://h/a"
    with pytest.raises(ValueError, match="must begin with http"):
        transport.proxy_url("localhost:8090")
