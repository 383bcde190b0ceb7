"""Both clients against a real server."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import subprocess

import httpx
import pytest

import rolltape
from rolltape import AsyncClient, Client, Server
from rolltape.client import calls
from rolltape.client.options import SamplingOverride
from support import COMMAND, chat, ended_session, talk

# Calls that only gateways and rollout workers make, and model calls, which an SDK makes.
NOT_OURS = (
    "/export_batch/ready",
    "/export_batch/prepare",
    "/export_batch/{id}/settle",
    "/v1",
    "/chat",
    "/responses",
    "/inference",
    "/readyz",
    # A rollout worker's own call.
    "/rl/sessions/{id}/take_over",
    # A gateway's own call.
    "/rl/weights/step",
)


def test_every_control_call_of_the_api_has_a_function(client: Client) -> None:
    document = client.openapi()
    offered = {
        (method.upper(), path)
        for path, methods in document["paths"].items()
        for method in methods
        if not path.startswith(NOT_OURS)
    }
    described = [
        calls.acknowledge("{id}"),
        calls.cordon(),
        calls.uncordon(),
        calls.delete_session("{id}"),
        calls.drain_engine("u"),
        calls.end_session(api_key="k"),
        calls.end_sessions(["g"]),
        calls.engine(),
        calls.export_batch([]),
        calls.export_sessions_to("x", []),
        calls.export_trajectories("s"),
        calls.get_session("{id}"),
        calls.grant_capacity(),
        calls.health(),
        calls.list_sessions(),
        calls.livez(),
        calls.metrics(),
        calls.pause_engine(),
        calls.restore_engine("u"),
        calls.resume_engine(),
        calls.set_reward(1, api_key="k"),
        calls.set_version(1),
        calls.start_run(),
        calls.start_session(),
        calls.run_sessions("{id}"),
        calls.current_session(api_key="k"),
        calls.current_session(api_key="k", start=True),
        calls.transcript("{id}"),
        calls.transcripts(["s"]),
        calls.abandon_weights(),
        calls.finish_weights(1),
        calls.update_weights(1, "p"),
        calls.weights(),
    ]
    assert {(call.method, call.path.replace("%7Bid%7D", "{id}")) for call in described} == offered


def test_the_bodies_of_calls_have_only_fields_that_the_api_knows(client: Client) -> None:
    description = client.openapi()
    for call in [
        calls.start_session(
            "a",
            "b",
            sampling_override={"temperature": 1.0},
            without_channels=["routed_experts"],
            split="eval",
            api_key="c",
        ),
        calls.set_reward(1, api_key="k", interaction_id="i"),
        calls.set_version(1, model="m"),
        calls.start_run("a", "b", sampling_override={"temperature": 1.0}, without_channels=["kept_ids"], split="eval"),
        calls.end_sessions(["g"], ["s"], run_ids=["r"], abort=True),
        calls.grant_capacity(2),
        calls.cordon("t"),
        calls.uncordon("t"),
        calls.drain_engine("u", wait_seconds=1),
        calls.pause_engine("keep", model="m"),
        calls.resume_engine(model="m"),
        calls.update_weights(1, "p", exclude=["u"], allow_partial=True, model="m"),
        calls.update_weights(1, "p", lora="policy@1"),
        calls.begin_weights(1, sleep=True, model="m"),
        calls.finish_weights(1, "p", model="m"),
        calls.transcripts(["s"], discount=0.5),
        calls.export_sessions_to("x", ["s"], split="eval", wait_seconds=1, drain_seconds=1),
        calls.export_shared_files(["s"], acknowledge=True, lease_seconds=1, shards=2, shard=1, turns=True),
    ]:
        body = description["paths"][call.path]["post"]["requestBody"]["content"]["application/json"]
        schema = body["schema"]
        # A schema that is the same as another one is a reference to it.
        while "$ref" in schema:
            schema = description["components"]["schemas"][schema["$ref"].removeprefix("#/components/schemas/")]
        assert set(call.body or {}) <= set(schema["properties"]), call.path


def test_both_clients_have_the_same_methods_with_the_same_parameters() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        public = {name: value for name, value in vars(kind).items() if callable(value) and not name.startswith("_")}
        return {name: list(inspect.signature(value).parameters) for name, value in public.items()}

    assert methods(Client) == methods(AsyncClient)


def test_a_session_is_recorded_rewarded_ended_and_exported(client: Client) -> None:
    client.grant_capacity()
    with client.session("math", "group-1") as session:
        assert session.base_url == client.url
        first, second = talk(session, 2)
        assert session.set_reward(1.0) == second
        assert session.set_reward(0.25, first) == first
        session.set_session_reward(0.5)
        record = client.get_session(session.session_id)
        assert (record["state"], record["group_id"], record["interaction_count"]) == ("active", "group-1", 2)
        transcript = client.transcript(session.session_id, discount=0.5)
        assert [each["reward"] for each in transcript["interactions"]] == [1.0, 1.5]
        assert transcript["interactions"][1]["parent"] == 0
        with pytest.raises(TypeError, match="must be a list of ids"):
            client.transcripts(session.session_id)
        same, absent = client.transcripts([session.session_id, "nobody"], discount=0.5)
        assert same == transcript
        assert (absent["session_id"], absent["error"]["code"]) == ("nobody", "session_not_found")
    assert client.get_session(session.session_id)["state"] == "ended"
    recorded = client.export_trajectories(session.session_id, discount=0.5, include_messages=True)
    assert list(recorded.interactions) == [first, second]
    assert recorded.fields["session_reward"] == 0.5
    last = recorded.interactions[second]
    # Own reward and that of the session, which the last call of a conversation has.
    assert (last.parent_id, last.own_reward, last.reward) == (first, 1.0, 1.5)
    assert last.messages is not None
    assert [message["role"] for message in last.messages] == ["user", "assistant", "user"]
    tensors = last.tensors()
    assert tensors["input_ids"].shape == tensors["logprobs"].shape
    assert tensors["loss_mask"].sum() == last.fields["completion_tokens"]


def test_a_session_fixes_the_sampling_of_its_calls(client: Client, server: Server) -> None:
    client.grant_capacity(2)
    fixed: SamplingOverride = {"temperature": 0.0, "max_tokens": 2}
    with client.session(sampling_override=fixed) as session:
        (first,) = talk(session, 1)
    assert client.get_session(session.session_id)["sampling_override"] == fixed
    recorded = client.export_trajectories(session.session_id).interactions[first].fields
    assert (recorded["completion_tokens"], recorded["sampling"]["greedy"]) == (2, True)

    async def start() -> str:
        async with AsyncClient(server.url, server.admin_key) as other, other.session(sampling_override=fixed) as own:
            return own.session_id

    assert client.get_session(asyncio.run(start()))["sampling_override"] == fixed
    with pytest.raises(rolltape.InvalidRequestError) as refused:
        client.session(sampling_override={"temperature": 3.0})
    assert refused.value.param == "sampling_override.temperature"


def test_the_sessions_of_a_run_are_named_by_a_header(client: Client, server: Server) -> None:
    client.grant_capacity(2)
    run = client.start_run("run", sampling_override={"max_tokens": 2})
    key = run["run_api_key"]
    for name in ("a", "b"):
        headers = {"authorization": f"Bearer {key}", "x-session-id": name}
        body = {"model": "tiny", "messages": [{"role": "user", "content": "hi"}]}
        reply = httpx.post(f"{server.url}/v1/chat/completions", json=body, headers=headers, timeout=60)
        assert client.run(calls.set_reward(1.0, api_key=key, x_session_id=name)) == reply.json()["id"]
        client.run(calls.set_session_reward(0.5, api_key=key, x_session_id=name))
    assert client.run(calls.end_session(api_key=key, x_session_id="a")) == 1
    current = client.run(calls.current_session(api_key=key, x_session_id="a"))
    sessions = client.run_sessions(run["run_id"])["sessions"]
    assert [(each["x_session_id"], each["state"]) for each in sessions] == [("a", "ended"), ("b", "active")]
    assert current == {"session_id": sessions[0]["session_id"], "run_id": run["run_id"], "x_session_id": "a"}
    assert len(client.end_sessions(run_ids=[run["run_id"]])["sessions"]) == 2
    batch = client.export_batch([each["session_id"] for each in sessions])
    assert batch.rewards.tolist() == [1.5, 1.5]
    with pytest.raises(rolltape.NotFoundError):
        client.run(calls.current_session(api_key=key, x_session_id="c"))

    async def start() -> str:
        async with AsyncClient(server.url, server.admin_key) as other:
            return (await other.start_run())["run_id"]

    assert asyncio.run(start()).startswith("task-run-")


def test_evaluation_sessions_are_exported_only_when_asked_for(client: Client) -> None:
    client.grant_capacity()
    with client.session("split", split="eval") as session:
        talk(session, 1)
    assert [each["session_id"] for each in client.list_sessions(task_id="split", split="eval")["sessions"]] == [
        session.session_id
    ]
    assert client.list_sessions(task_id="split", split="train")["sessions"] == []
    with pytest.raises(rolltape.ConflictError) as refused:
        client.export_batch([session.session_id])
    assert refused.value.code == "wrong_split"
    batch = client.export_batch([session.session_id], split="eval")
    assert [row["split"] for row in batch.rows] == ["eval"]


def test_sessions_are_ended_by_their_groups_and_ids(client: Client, server: Server) -> None:
    client.grant_capacity(3)
    first, second, third = (client.session("end", group) for group in ("group-e", "group-e", None))
    talk(first, 1)
    ended = client.end_sessions(["group-e"], ["nobody"], abort=True)
    assert [each["session_id"] for each in ended["sessions"]] == [first.session_id, second.session_id]
    assert [(each["state"], each["interaction_count"]) for each in ended["sessions"]] == [("ended", 1), ("ended", 0)]
    assert (ended["not_found"], client.get_session(third.session_id)["state"]) == (["nobody"], "active")

    async def end() -> list[str]:
        async with AsyncClient(server.url, server.admin_key) as other:
            return [each["state"] for each in (await other.end_sessions(session_ids=[third.session_id]))["sessions"]]

    assert asyncio.run(end()) == ["ended"]
    with pytest.raises(rolltape.InvalidRequestError, match="`group_ids`, `session_ids` or `run_ids`"):
        client.end_sessions()


def test_a_session_ends_when_its_block_raises_and_its_data_stays(client: Client) -> None:
    client.grant_capacity()
    with pytest.raises(KeyError, match="mine"), client.session() as session:
        chat(session, "hi")
        raise KeyError("mine")
    assert client.get_session(session.session_id)["state"] == "ended"
    assert len(client.export_batch([session.session_id])) == 1


def test_leaving_a_session_that_was_deleted_is_no_error(client: Client) -> None:
    client.grant_capacity()
    with client.session() as session:
        assert session.delete() is True
    assert client.delete_session(session.session_id) is False


def test_a_cordoned_proxy_starts_no_sessions(client: Client) -> None:
    client.grant_capacity(2)
    with client.session():
        sessions = client.cordon()
        try:
            assert sessions >= 1
            assert client.health()["status"] == "cordoned"
            with pytest.raises(rolltape.CapacityError) as refused:
                client.session()
            assert refused.value.code == "no_capacity"
        finally:
            assert client.uncordon() == sessions
    with client.session():
        assert client.health()["status"] == "ok"


def test_errors_have_a_class_a_code_and_the_fields_of_the_answer(client: Client, server: Server) -> None:
    with pytest.raises(rolltape.InvalidRequestError) as refused:
        client.export_batch(["x"], discont=0.5)  # type: ignore[call-arg]
    assert (refused.value.code, refused.value.status, refused.value.param) == ("unknown_parameter", 400, "discont")
    with pytest.raises(rolltape.NotFoundError) as missing:
        client.get_session("no-such-session")
    assert missing.value.code == "session_not_found"
    with Client(server.url, "a-wrong-admin-key") as stranger, pytest.raises(rolltape.AuthenticationError) as wrong:
        stranger.grant_capacity()
    assert (wrong.value.code, wrong.value.status) == ("invalid_api_key", 401)
    with pytest.raises(rolltape.ConflictError) as embedded:
        client.pause_engine()
    assert embedded.value.code == "no_engine_servers"
    assert client.engine()["servers"] == []


def test_no_capacity_says_when_to_try_again(client: Client) -> None:
    for _ in range(client.grant_capacity()):
        client.session()
    with pytest.raises(rolltape.CapacityError) as full:
        client.session()
    assert (full.value.code, full.value.status, full.value.retry_after) == ("no_capacity", 429, 1.0)


def test_an_error_survives_pickling() -> None:
    error = rolltape.CapacityError("no_capacity", "No room", status=429, retry_after=1.0, details={"used": 3})
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is rolltape.CapacityError
    assert vars(copy) == vars(error)
    assert str(copy) == "no_capacity: No room"


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_not_finite_is_refused_before_it_is_sent(client: Client, reward: float) -> None:
    client.grant_capacity()
    with client.session() as session:
        chat(session, "hi")
        with pytest.raises(ValueError, match="A reward must be finite"):
            session.set_reward(reward)


def test_sessions_are_listed_over_all_pages(client: Client, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    client.grant_capacity(5)
    ids = [client.session("listed").session_id for _ in range(5)]
    page = client.list_sessions(task_id="listed", limit=2)
    assert ([each["session_id"] for each in page["sessions"]], page["has_more"]) == (ids[:2], True)
    # Pages of two sessions, as if there were thousands of them.
    monkeypatch.setattr(calls.sessions, "PAGE", 2)
    assert [each["session_id"] for each in client.sessions(task_id="listed")] == ids

    async def listed() -> list[str]:
        async with AsyncClient(server.url, server.admin_key) as other:
            return [each["session_id"] async for each in other.sessions("active", "listed")]

    assert asyncio.run(listed()) == ids


def test_versions_metrics_models_and_health(client: Client) -> None:
    assert client.set_version(7) == 7
    assert client.health()["worker"]["weight_version"]["version"] == 7
    assert client.livez() is True
    assert "rolltape_" in client.metrics()
    assert client.models()[0]["id"].startswith("tiny-model-")
    session_id = ended_session(client, 1)
    batch = client.export_batch([session_id])
    assert set(batch["versions"][batch["loss_mask"] == 1].tolist()) == {7}
    assert client.set_version(0) == 0


def test_a_batch_is_held_until_it_is_acknowledged(client: Client) -> None:
    session_id = ended_session(client)
    batch_id, batch = client.export_held_batch([session_id], discount=0.5)
    assert len(batch) == 2
    assert client.get_session(session_id)["state"] == "exported"
    assert client.acknowledge(batch_id) is True
    assert client.acknowledge(batch_id) is False


def test_a_batch_is_written_to_a_file(client: Client, tmp_path: object) -> None:
    session_id = ended_session(client)
    path = f"{tmp_path}/batch.safetensors"
    # There are no images to move.
    assert client.export_batch_to(path, [session_id], layout="packed", image_bytes="files") is None
    body = client.export_batch([session_id], layout="packed")
    with rolltape.Batch.open(path) as batch:
        assert batch.metadata == body.metadata
        assert all((batch[name] == body[name]).all() for name in body.tensors)


def test_the_records_of_sessions_are_written_to_a_file_that_becomes_the_same_batch(
    client: Client, tmp_path: object
) -> None:
    session_id = ended_session(client)
    path, out = f"{tmp_path}/x.sessions", f"{tmp_path}/batch.safetensors"
    assert client.export_sessions_to(path, [session_id]) is None
    assert client.get_session(session_id)["state"] == "ended"
    subprocess.run([str(COMMAND), "export", "--from", path, "--out", out, "--layout", "packed"], check=True)
    body = client.export_batch([session_id], layout="packed")
    with rolltape.Batch.open(out) as batch:
        assert batch.metadata == body.metadata
        assert all((batch[name] == body[name]).all() for name in body.tensors)


def test_a_refused_export_writes_no_file(client: Client, tmp_path: object) -> None:
    with pytest.raises(rolltape.NotFoundError):
        client.export_batch_to(f"{tmp_path}/none", ["missing"])
    with pytest.raises(FileNotFoundError):
        rolltape.Batch.open(f"{tmp_path}/none")


def test_the_async_client_does_the_same(client: Client, server: Server) -> None:
    async def main() -> None:
        async with AsyncClient(server.url, server.admin_key) as other:
            await other.grant_capacity(2)
            async with other.session("async", "g") as session:
                await asyncio.to_thread(chat, session, "hi")
                interaction = await session.set_reward(1.0)
                await session.set_session_reward(0.5)
            assert (await other.get_session(session.session_id))["state"] == "ended"
            recorded = await other.export_trajectories(session.session_id)
            assert recorded.interactions[interaction].reward == 1.5
            started = await other.session()
            assert await started.end() == 0
            assert await started.delete() is True
            with pytest.raises(ZeroDivisionError):
                async with other.session() as broken:
                    raise ZeroDivisionError
            assert (await other.get_session(broken.session_id))["state"] == "ended"

    client.grant_capacity()
    asyncio.run(main())


def test_a_cancelled_start_leaves_no_session(client: Client, server: Server) -> None:
    class Slow(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            answer = await super().handle_async_request(request)
            if request.url.path.endswith("start_session"):
                reached.set()
                await asyncio.sleep(0.05)
            return answer

    async def main() -> None:
        global reached
        reached = asyncio.Event()
        async with AsyncClient(server.url, server.admin_key, http=httpx.AsyncClient(transport=Slow())) as other:
            await other.grant_capacity()
            starting = asyncio.ensure_future(other.session("cancelled").__aenter__())
            await reached.wait()
            starting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await starting

    asyncio.run(main())
    assert list(client.sessions(task_id="cancelled")) == []


def test_one_id_in_place_of_a_list_is_refused(client: Client) -> None:
    for use in (client.export_batch, client.export_shared_files):
        with pytest.raises(TypeError, match="must be a list of ids; received the text 'math-1'"):
            use("math-1")
