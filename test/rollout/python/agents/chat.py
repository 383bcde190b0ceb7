"""An agent with the standard library: one chat call for each word of its data."""

import asyncio
import json
import urllib.request


def complete(context, text):
    body = {"model": "any", "messages": [{"role": "user", "content": text}], "max_tokens": 4}
    request = urllib.request.Request(
        context.base_url + "/v1/chat/completions",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {context.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)["id"]


async def solve(task, context):
    ids = [await asyncio.to_thread(complete, context, word) for word in task["words"]]
    if task.get("none"):
        return None
    return {ids[-1]: task["reward"]}
