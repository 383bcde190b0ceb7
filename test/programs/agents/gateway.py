"""A gateway in a thread of this process, and an agent that calls the model through it."""

import json
import threading
import time

import uvicorn
from fastapi import FastAPI
from openai import OpenAI
from task import INSTRUCTIONS, MODEL, PARAMETERS, REQUEST, run_command

TOOL = {"name": "run_command", "description": "Runs a command.", "parameters": PARAMETERS}


def serve(app: FastAPI) -> str:
    """Starts the gateway and returns its address."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def run_agent(base_url: str) -> None:
    """Does the task with a key that the gateway does not know."""
    client = OpenAI(base_url=base_url, api_key="none", max_retries=0)
    messages: list = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": REQUEST}]
    while True:
        tools: list = [{"type": "function", "function": TOOL}]
        message = client.chat.completions.create(model=MODEL, messages=messages, tools=tools).choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            result = run_command(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        if not message.tool_calls:
            return


def check(traces: list[tuple[list, list, list]]) -> None:
    """Checks that the gateway has prompt ids, output ids and log probabilities of each call."""
    assert len(traces) == 3, traces
    for prompt, output, logprobs in traces:
        assert prompt and output and len(output) == len(logprobs), (prompt, output, logprobs)
