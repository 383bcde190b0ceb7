"""An agent with OpenAI's SDK, or with asyncio's streams alone where it is not installed. It returns the id of its process."""

import os

from conversation import Connections

try:
    from openai import AsyncOpenAI
except ImportError:
    AsyncOpenAI = None

CALLS = 4
state = {}


async def solve(task, context):
    messages = [{"role": "user", "content": task}]
    if not state:
        state["connections"] = Connections(context.base_url)
        if AsyncOpenAI:
            state["sdk"] = AsyncOpenAI(base_url=context.base_url + "/v1", api_key="any", max_retries=0)
    for _ in range(CALLS):
        if "sdk" in state:
            headers = {"Authorization": f"Bearer {context.api_key}"}
            call = state["sdk"].chat.completions.create(model="any", messages=messages, extra_headers=headers)
            messages.append((await call).choices[0].message)
        else:
            body = {"model": "any", "messages": [{"role": "user", "content": task}]}
            await state["connections"].post("/v1/chat/completions", context.api_key, body)
        messages.append({"role": "user", "content": "Go on."})
    return os.getpid()


__all__ = ["solve"]
