"""A collection of the published NeMo Gym: its own programs, with the model server of `rolltape.nemo_gym`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

pytest.importorskip("nemo_gym")

import rolltape
from rolltape import AsyncClient, Batch, Client, Server
from rolltape.nemo_gym import set_rewards
from scripted_engine import ScriptedEngine
from sums import serve

SOURCES = Path(rolltape.__file__).parent.parent
CONFIG = """
policy_model:
  responses_api_models:
    proxy_model:
      entrypoint: app.py
      url: ${policy_base_url}
      run_key: ${policy_api_key}
      model: ${policy_model_name}
"""
APP = """
from rolltape.nemo_gym import RolltapeModel

if __name__ == "__main__":
    RolltapeModel.run_webserver()
"""
MODEL = "responses_api_models/proxy_model"
SERVERS = (
    MODEL,
    "resources_servers/example_multi_step",
    "responses_api_agents/simple_agent",
    "environment_servers/legacy_agent",
)
RIGHT, WRONG = "Warm", "Chilly"


def script(prompt: str) -> str:
    """Asks for the value of the word, hands it in, then says that it is done. One word has a wrong value."""
    word = prompt.split("Value of ")[-1].split("?")[0]
    results = [part.split("\n")[1] for part in prompt.split("<tool_response>")[1:]]
    if not results:
        return call("get_synonym_value", synonym=word)
    if len(results) == 1:
        value = json.loads(results[0])["synonym_value"]
        return call("extract_synonym_values", synonym_values=[value if word == RIGHT else 0])
    return "Done."


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def task(index: int, word: str) -> dict[str, Any]:
    def tool(name: str, field: str, kind: dict[str, Any]) -> dict[str, Any]:
        parameters = {"type": "object", "properties": {field: kind}, "required": [field], "additionalProperties": False}
        return {"type": "function", "name": name, "description": name, "strict": True, "parameters": parameters}

    tools = [
        tool("get_synonym_value", "synonym", {"type": "string"}),
        tool("extract_synonym_values", "synonym_values", {"type": "array", "items": {"type": "integer"}}),
    ]
    return {
        "id": index,
        "responses_create_params": {"input": [{"role": "user", "content": f"Value of {word}?"}], "tools": tools},
        "expected_synonym_values": [sum(map(ord, word))],
        "expected_synonyms": [word],
        "minefield_label": "Hot",
        "minefield_label_value": 1,
    }


@dataclass
class Collection:
    """results: lines that NeMo Gym wrote. messages: answers of a program that makes calls by itself, in a rollout with an id.
    batch: the sessions of these rollouts, in the same order, then that of the program.
    """

    results: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    batch: Batch
    engine: ScriptedEngine


@pytest.fixture(scope="module")
def collection(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("gym")
    engine = ScriptedEngine(str(server.ready["model_path"]), script)
    with serve(engine, str(server.ready["model_path"]), folder) as proxy, Client(proxy.url, proxy.admin_key) as client:
        client.grant_capacity(5)
        run_key = client.start_run("synonyms")["run_api_key"]
        with servers(folder, proxy.url, run_key) as head:
            results = collect(folder, head)
            messages = converse(head)
        other = {"_ng_rollout_id": "other-1", "response": {}, "reward": 0.25}
        sessions = asyncio.run(reward(proxy, run_key, [*results, other]))
        yield Collection(results, messages, client.export_batch(sessions, layout="packed"), engine)


@contextmanager
def servers(folder: Path, url: str, run_key: str) -> Iterator[str]:
    """Starts the servers, waits until all of them answer, and yields the port of the head server."""
    model = folder / MODEL
    (model / "configs").mkdir(parents=True)
    (model / "app.py").write_text(APP)
    (model / "requirements.txt").write_text("rolltape\n")
    (model / "configs/proxy_model.yaml").write_text(CONFIG)
    for name in SERVERS:
        # Otherwise it installs nemo-gym again for each server.
        environment = folder / "environments" / name / ".venv"
        environment.parent.mkdir(parents=True)
        environment.symlink_to(sys.prefix)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        head = str(free.getsockname()[1])
    start = ["env", "start", "--resources-server", "example_multi_step", "--model-type", "proxy_model"]
    start += ["--model-url", url, "--model-api-key", run_key, "--model", "policy", f"++head_server.port={head}"]
    start += ["+skip_venv_if_present=true", f"+uv_venv_dir={folder / 'environments'}"]
    log = folder / "servers.log"
    with open(log, "w") as output:
        process = gym(folder, start, output)
    try:
        deadline = time.monotonic() + 400
        while not ready(head):
            failed = process.poll() is not None or time.monotonic() > deadline
            assert not failed, log.read_text()[-4000:]
            time.sleep(0.5)
        yield head
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def collect(folder: Path, head: str) -> list[dict[str, Any]]:
    """Runs two tasks, twice each."""
    tasks = [task(0, RIGHT), task(1, WRONG)]
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in tasks))
    run = ["eval", "run", "--no-serve", "--agent", "example_multi_step_simple_agent", "--num-repeats", "2"]
    run += ["--input", "tasks.jsonl", "--output", "rollouts.jsonl", f"++head_server.port={head}"]
    process = gym(folder, run, subprocess.PIPE)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output[-4000:]
    return [json.loads(line) for line in (folder / "rollouts.jsonl").read_text().splitlines()]


def converse(head: str) -> list[dict[str, Any]]:
    """Makes two chat completions whose path has the id of a rollout, and which have no cookie."""
    instances = httpx.get(f"http://127.0.0.1:{head}/server_instances", trust_env=False).json()
    (url,) = [each["url"] for each in instances if each["process_name"] == "policy_model"]
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"Value of {RIGHT}?"}]
    answers = []
    for _ in range(2):
        answer = httpx.post(
            f"{url}/ng-rollout/other-1/v1/chat/completions", json={"messages": messages}, timeout=60, trust_env=False
        )
        answer.raise_for_status()
        answers.append(answer.json()["choices"][0]["message"])
        # NeMo Gym refuses fields of an answer that a request does not have.
        back = ("role", "content", "prompt_token_ids", "generation_token_ids", "generation_log_probs")
        messages += [{name: answers[-1][name] for name in back}, {"role": "user", "content": "Go on."}]
    return answers


def ready(port: str) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", trust_env=False).is_success
    except httpx.TransportError:
        return False


def gym(folder: Path, arguments: list[str], output: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(Path(sys.prefix, "bin/gym")), *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
    )


async def reward(proxy: Server, run_key: str, results: list[dict[str, Any]]) -> list[str]:
    async with AsyncClient(proxy.url, proxy.admin_key) as client:
        return await set_rewards(client, run_key, results)


def test_each_rollout_is_a_session_with_its_reward(collection: Collection) -> None:
    rewards = sorted((each["_ng_task_index"], each["reward"]) for each in collection.results)
    assert rewards == [(0, 1.0), (0, 1.0), (1, 0.0), (1, 0.0)]
    episodes = [(episode["rows"], episode["reward"]) for episode in collection.batch.episodes]
    assert episodes == [*((3, each["reward"]) for each in collection.results), (2, 0.25)]
    assert len({episode["session_id"] for episode in collection.batch.episodes}) == 5


def test_the_items_have_the_tokens_of_the_export(collection: Collection) -> None:
    outputs = [result["response"]["output"] for result in collection.results]
    items = [[item for item in output if "generation_token_ids" in item] for output in outputs]
    assert [[item["type"] for item in each] for each in items] == [["function_call", "function_call", "message"]] * 4
    sampled = [(prompt, ids) for prompt, _, _, ids in collection.engine.calls]
    # Each call is a row of its own.
    for item, sample in zip([*chain(*items), *collection.messages], collection.batch.samples(), strict=True):
        assert (item["prompt_token_ids"], item["generation_token_ids"]) in sampled
        assert item["prompt_token_ids"] == sample.prompt_ids.tolist()
        assert item["generation_token_ids"] == sample.response_ids.tolist()
        assert np.float32(item["generation_log_probs"]).tolist() == sample.response_logprobs.tolist()
