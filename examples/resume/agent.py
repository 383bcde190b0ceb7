"""An agent that goes on after a crash: its environment is a counter with one tool, and its state follows from the messages.

npx rolltape rollout --agent examples/resume/agent.py:Counter --data tasks.jsonl --out out/batch.safetensors --workers 2
"""

import asyncio
import json
import re
import urllib.request


class Counter:
    async def run(self, task, context):
        return await play(task, [{"role": "user", "content": f"Count to {task['goal']}."}], context)

    async def resume(self, task, transcript, context):
        messages = transcript["messages"]
        # The newest message is the model's answer. What the tool said to it was lost with the process.
        return await play(task, [*messages, tool_result(task, messages)], context)


async def play(task, messages, context):
    """Plays the turns that are left. Returns the share of the goal that was reached."""
    while sum(message["role"] == "assistant" for message in messages) < task["turns"]:
        answer = await asyncio.to_thread(complete, context, messages)
        messages.append({"role": "assistant", "content": answer})
        messages.append(tool_result(task, messages))
    return count_letters(messages) / task["goal"]


def complete(context, messages):
    body = json.dumps({"model": "any", "messages": messages, "max_tokens": 8}).encode()
    headers = {"Authorization": f"Bearer {context.api_key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{context.base_url}/v1/chat/completions", body, headers)
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]


def tool_result(task, messages):
    """The tool: counts the letters that the model has written so far."""
    return {"role": "user", "content": f"{count_letters(messages)} of {task['goal']}"}


def count_letters(messages):
    return sum(len(re.findall("[A-Za-z]", each["content"])) for each in messages if each["role"] == "assistant")
