"""Rolltape in front of an engine that is a Python callback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest

import rolltape
from rolltape import Client, Server, engine_bridge
from rolltape.bridge import Generate, openrlhf, verl
from scripted_engine import ScriptedEngine
from support import COMMAND, chat


class Switch:
    """The callback of the module's proxy. Each test sets its own as `generate`."""

    generate: Generate

    async def __call__(self, ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        return await self.generate(ids, sampling, session)


@pytest.fixture(scope="module")
def model_path(server: Server) -> str:
    return str(server.ready["model_path"])


@pytest.fixture(scope="module")
def switch() -> Switch:
    return Switch()


@pytest.fixture(scope="module")
def proxy(switch: Switch, model_path: str) -> Iterator[Client]:
    with proxy_of(switch, model_path) as client:
        yield client


@contextmanager
def proxy_of(generate: Generate, model_path: str) -> Iterator[Client]:
    with engine_bridge(generate, context_length=4096) as bridge:
        engine = {"engine.type": "sglang", "engine.urls": bridge.url, "model.path": model_path}
        quiet = {"server.shutdown_seconds": 0, "server.log_level": "warn"}
        with (
            rolltape.serve({**engine, **quiet}, command=COMMAND) as proxy,
            Client(proxy.url, proxy.admin_key) as client,
        ):
            yield client


def say(client: Client, text: str = "hi", **fields: Any) -> tuple[dict[str, Any], rolltape.Trajectories]:
    client.grant_capacity()
    with client.session("bridge") as session:
        completion = chat(session, text, **fields)
    return completion, client.export_trajectories(session.session_id)


def only(trajectories: rolltape.Trajectories) -> dict[str, Any]:
    (interaction,) = trajectories.interactions.values()
    return {name: value[0] for name, value in interaction.tensors().items()}


def test_ids_log_probabilities_and_versions_are_those_of_the_callback(
    proxy: Client, switch: Switch, model_path: str
) -> None:
    engine = ScriptedEngine(model_path, lambda prompt: f"seen {len(prompt)}")
    engine.version = 7
    switch.generate = engine
    completion, trajectories = say(proxy, max_tokens=64)
    ((prompt, sampling, session, sampled),) = engine.calls
    assert completion["choices"][0]["message"]["content"] == f"seen {len(engine.vocabulary.decode(prompt))}"
    assert completion["choices"][0]["finish_reason"] == "stop"
    assert (sampling["max_new_tokens"], sampling["temperature"]) == (64, 1.0)
    tensors = only(trajectories)
    assert tensors["input_ids"].tolist() == [*prompt, *sampled]
    mask = tensors["loss_mask"].astype(bool)
    assert mask.tolist() == [False] * len(prompt) + [True] * len(sampled)
    assert tensors["logprobs"][mask].tolist() == np.float32(engine.logprobs(sampled)).tolist()
    assert set(tensors["versions"][mask].tolist()) == {7}

    completion, trajectories = say(proxy, max_tokens=3)
    assert completion["choices"][0]["finish_reason"] == "length"
    assert int(only(trajectories)["loss_mask"].sum()) == 3
    assert engine.calls[1][2] != session


def test_a_stream_records_the_same(proxy: Client, switch: Switch, model_path: str) -> None:
    engine = ScriptedEngine(model_path, lambda prompt: "a streamed answer")
    switch.generate = engine
    proxy.grant_capacity()
    with proxy.session("stream") as session:
        body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 64, "stream": True}
        headers = {"authorization": f"Bearer {session.api_key}"}
        answer = httpx.post(f"{session.base_url}/v1/chat/completions", json=body, headers=headers, timeout=60)
    events = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")]
    text = "".join(event["choices"][0]["delta"].get("content") or "" for event in events if event["choices"])
    assert text == "a streamed answer"
    tensors = only(proxy.export_trajectories(session.session_id))
    sampled = engine.calls[0][3]
    assert tensors["input_ids"][-len(sampled) :].tolist() == sampled
    assert tensors["logprobs"][-len(sampled) :].tolist() == np.float32(engine.logprobs(sampled)).tolist()


def test_calls_run_at_once_and_a_session_has_one_key(proxy: Client, switch: Switch, model_path: str) -> None:
    together = asyncio.Barrier(8) if hasattr(asyncio, "Barrier") else None
    engine = ScriptedEngine(model_path, lambda prompt: "ok")

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        if together is not None and len(engine.calls) < 8:
            await asyncio.wait_for(together.wait(), 60)
        return await engine(ids, sampling, session)

    switch.generate = generate
    sessions = [_start(proxy) for _ in range(8)]
    threads = [threading.Thread(target=chat, args=(session, "hi")) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chat(sessions[0], "again")
    keys = [session for _, _, session, _ in engine.calls]
    assert len(keys) == 9
    assert len(set(keys)) == 8


def _start(client: Client) -> rolltape.Session:
    client.grant_capacity()
    return client.session("bridge")


def test_a_call_whose_client_has_gone_is_cancelled(proxy: Client, switch: Switch, model_path: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    switch.generate = generate
    session = _start(proxy)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{session.base_url}/v1/chat/completions",
            json={"messages": [{"role": "user", "content": "hi"}]},
            headers={"authorization": f"Bearer {session.api_key}"},
            timeout=2,
        )
    assert begun.is_set()
    assert ended.wait(10)


@pytest.mark.parametrize("request_line", ["abort_request", "closed connection"])
def test_an_abort_and_a_closed_connection_cancel_the_callback(request_line: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    body = {"rid": "r1", "input_ids": [1, 2], "sampling_params": {"max_new_tokens": 4}}
    answers: list[Any] = []
    with engine_bridge(generate, context_length=64) as bridge:

        def call(seconds: float) -> None:
            try:
                answers.append(httpx.post(f"{bridge.url}/generate", json=body, timeout=seconds).json())
            except httpx.ReadTimeout:
                answers.append(None)

        thread = threading.Thread(target=call, args=(60 if request_line == "abort_request" else 1,))
        thread.start()
        assert begun.wait(10)
        if request_line == "abort_request":
            assert httpx.post(f"{bridge.url}/abort_request", json={"rid": "r1"}).status_code == 200
        thread.join()
        assert ended.wait(10)
    (answer,) = answers
    if request_line == "abort_request":
        assert answer["output_ids"] == []
        assert answer["meta_info"]["finish_reason"] == {"type": "abort", "message": "Abort in waiting queue"}


def test_an_aborted_generation_is_continued_from_its_tokens(proxy: Client, switch: Switch, model_path: str) -> None:
    engine = ScriptedEngine(model_path, lambda prompt: "0123456789")
    engine.version = 1
    cut = engine.vocabulary.encode("0123")

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        if ids[-4:] == cut:
            engine.version = 2
            rest = [*engine.vocabulary.encode("456789"), engine.vocabulary.end]
            return rest, engine.logprobs(rest), "stop", 2
        return cut, engine.logprobs(cut), "abort", 1

    switch.generate = generate
    completion, trajectories = say(proxy, max_tokens=64)
    assert completion["choices"][0]["message"]["content"] == "0123456789"
    tensors = only(trajectories)
    assert tensors["versions"][tensors["loss_mask"].astype(bool)].tolist() == [1] * 4 + [2] * 7


@pytest.mark.parametrize("stream", [False, True])
def test_a_callback_that_raises_fails_the_call_with_its_message(
    proxy: Client, switch: Switch, model_path: str, stream: bool
) -> None:
    engine = ScriptedEngine(model_path, lambda prompt: "well")
    failing = True

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        if failing:
            raise RuntimeError("no engine is left")
        return await engine(ids, sampling, session)

    switch.generate = generate
    session = _start(proxy)
    body = {"messages": [{"role": "user", "content": "hi"}], "max_tokens": 8, "stream": stream}
    headers = {"authorization": f"Bearer {session.api_key}"}
    answer = httpx.post(f"{session.base_url}/v1/chat/completions", json=body, headers=headers, timeout=60)
    assert "RuntimeError: no engine is left" in answer.text
    # What SDKs retry.
    assert answer.status_code == 502
    failing = False
    assert chat(session, "hi")["choices"][0]["message"]["content"] == "well"
    session.end()
    assert len(proxy.export_trajectories(session.session_id).interactions) == 1


def test_a_reply_without_a_log_probability_for_each_id_fails_the_call(
    proxy: Client, switch: Switch, model_path: str
) -> None:
    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        return [1, 2, 3], [-0.5], "stop", None

    switch.generate = generate
    with pytest.raises(httpx.HTTPStatusError, match="502"):
        say(proxy)


def test_top_log_probabilities_are_refused(proxy: Client, switch: Switch, model_path: str) -> None:
    engine = ScriptedEngine(model_path, lambda prompt: "well")
    switch.generate = engine
    with pytest.raises(httpx.HTTPStatusError, match="400"):
        say(proxy, logprobs=True, top_logprobs=2)
    assert engine.calls == []


def test_a_callback_runs_in_the_loop_of_the_caller(model_path: str) -> None:
    loops: list[Any] = []

    async def main() -> None:
        engine = ScriptedEngine(model_path, lambda prompt: "ok")

        async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
            loops.append(asyncio.get_running_loop())
            return await engine(ids, sampling, session)

        # `serve` blocks this loop while the proxy asks the engine for its context.
        with proxy_of(generate, model_path) as client:
            await asyncio.to_thread(say, client)
        assert loops == [asyncio.get_running_loop()]

    asyncio.run(main())


def test_an_update_of_weights_fails_and_can_be_given_up(proxy: Client, switch: Switch, model_path: str) -> None:
    with pytest.raises(rolltape.WeightsError, match="HTTP 404"):
        proxy.update_weights(99, model_path)
    proxy.abandon_weights()
    switch.generate = ScriptedEngine(model_path, lambda prompt: "on")
    assert say(proxy)[0]["choices"][0]["message"]["content"] == "on"


def test_a_version_that_is_not_known_is_that_of_the_proxy(proxy: Client, switch: Switch, model_path: str) -> None:
    engine = switch.generate = ScriptedEngine(model_path, lambda prompt: "on")
    engine.version = None
    proxy.set_version(12)
    assert only(say(proxy)[1])["versions"].tolist()[-1] == 12
    engine.version = (12, 13)
    assert only(say(proxy)[1])["versions"].tolist()[-1] == 13


def test_other_requests_are_answered_as_by_sglang() -> None:
    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        return [5], [-1.0], "length", 3

    with engine_bridge(generate, context_length=64) as bridge, httpx.Client(base_url=bridge.url) as http:
        assert http.get("/health").content == b""
        assert http.get("/server_info").json() == {"max_req_input_len": 64}
        assert http.get("/model_info").json() == {"weight_version": "default"}
        assert http.get("/nothing").json() == {"detail": "Not Found"}
        assert http.get("/generate").status_code == 405
        assert http.post("/generate", content=b"{").status_code == 400
        assert http.post("/generate", json={"rid": "r"}).json() == {"error": {"message": "KeyError: 'input_ids'"}}
        body = {"rid": "r", "input_ids": [1], "sampling_params": {"max_new_tokens": 1}}
        meta = http.post("/generate", json=body).json()["meta_info"]
        assert meta["finish_reason"] == {"type": "length", "length": 1}
        assert meta["weight_versions"] == [{"version": "3", "start": 0, "end": 1}]
        assert http.get("/model_info").json() == {"weight_version": "3"}
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{bridge.url}/health")


def test_the_server_ends_with_its_block_while_calls_and_connections_are_open() -> None:
    begun = threading.Event()

    async def generate(ids: list[int], sampling: dict[str, Any], session: str) -> Any:
        begun.set()
        await asyncio.Event().wait()

    body = {"rid": "r", "input_ids": [1], "sampling_params": {"max_new_tokens": 1}}
    errors: list[type[Exception]] = []

    def call(url: str) -> None:
        try:
            httpx.post(f"{url}/generate", json=body, timeout=60)
        except httpx.HTTPError as error:
            errors.append(type(error))

    with engine_bridge(generate, context_length=64) as bridge, httpx.Client(base_url=bridge.url) as http:
        http.get("/health")
        waiting = threading.Thread(target=call, args=(bridge.url,))
        waiting.start()
        assert begun.wait(10)
    waiting.join(10)
    assert errors == [httpx.RemoteProtocolError]


def run(generate: Generate, sampling: dict[str, Any]) -> Any:
    return asyncio.run(generate([1, 2], sampling, "session-1"))  # type: ignore[arg-type]


SAMPLING = {
    "max_new_tokens": 4,
    "min_new_tokens": 0,
    "temperature": 0.5,
    "stop_token_ids": [9],
    "no_stop_trim": True,
    "sampling_seed": 3,
    "logit_bias": {"5": 1.0},
}


def verl_engine(output: dict[str, Any], seen: list[Any]) -> Any:
    """Has the shape of verl's `LLMServerClient`."""

    async def generate(request_id: str, *, prompt_ids: list[int], sampling_params: dict[str, Any]) -> Any:
        seen.append((request_id, prompt_ids, sampling_params))
        return SimpleNamespace(**output)

    return SimpleNamespace(generate=generate)


@pytest.mark.parametrize(
    ("ids", "stop_reason", "steps", "expected"),
    [
        ([5, 9], "completed", (3, 3), ("stop", (3, 3))),
        ([5, 6, 7, 8], "completed", (3, 4), ("length", (3, 4))),
        ([5, 6, 7, 9], "completed", (None, None), ("stop", None)),
        ([], "aborted", (3, 3), ("abort", (3, 3))),
    ],
)
def test_verls_engine_is_called_with_its_names(
    ids: list[int], stop_reason: str, steps: tuple[Any, Any], expected: tuple[str, Any]
) -> None:
    seen: list[Any] = []
    extra = {"min_global_steps": steps[0], "max_global_steps": steps[1]}
    output = {"token_ids": ids, "log_probs": [-0.5] * len(ids), "stop_reason": stop_reason, "extra_fields": extra}
    reply = run(verl(verl_engine(output, seen)), SAMPLING)
    assert reply == (ids, [-0.5] * len(ids), *expected)
    ((session, prompt, params),) = seen
    assert (session, prompt) == ("session-1", [1, 2])
    assert params == {
        "max_tokens": 4,
        "min_tokens": 0,
        "temperature": 0.5,
        "stop_token_ids": [9],
        "include_stop_str_in_output": True,
        "seed": 3,
        "logit_bias": {5: 1.0},
        "logprobs": True,
    }
    run(verl(verl_engine(output, seen), backend="sglang"), SAMPLING)
    assert seen[1][2] == {**SAMPLING, "logprobs": True}


def test_a_grammar_for_vllm_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="json_schema"):
        run(verl(verl_engine({}, [])), {**SAMPLING, "json_schema": "{}"})


def test_openrlhfs_engine_is_called_with_its_parameters() -> None:
    seen: list[Any] = []

    class Engine:
        async def generate(
            self, prompt_token_ids: list[int], sampling_params: Any, multi_modal_data: Any = None
        ) -> Any:
            seen.append((prompt_token_ids, sampling_params))
            logprobs = [{5: SimpleNamespace(logprob=-0.25)}, {9: SimpleNamespace(logprob=-0.5)}]
            return SimpleNamespace(outputs=[SimpleNamespace(token_ids=(5, 9), logprobs=logprobs, finish_reason="stop")])

    versions = iter([4, 5])
    reply = run(openrlhf(Engine(), lambda **fields: fields, lambda: next(versions)), SAMPLING)
    assert reply == ([5, 9], [-0.25, -0.5], "stop", (4, 5))
    ((prompt, params),) = seen
    assert prompt == [1, 2]
    assert (params["max_tokens"], params["seed"], params["logprobs"]) == (4, 3, 0)
    assert run(openrlhf(Engine(), lambda **fields: fields), SAMPLING)[3] is None
