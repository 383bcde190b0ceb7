"""A loop over OpenEnv's clients of models."""

import asyncio

from openenv.core.llm_client import AnthropicClient, OpenAIClient
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, PARAMETERS, REQUEST, VARIANT, run_command

TOOL = {"name": "run_command", "description": "Runs a command.", "inputSchema": PARAMETERS}


async def main() -> None:
    client = AnthropicClient if VARIANT == "anthropic" else OpenAIClient
    model = client(BASE_URL, None, MODEL, api_key=API_KEY, max_tokens=1024)
    messages: list = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": REQUEST}]
    while True:
        reply = await model.complete_with_tools(messages, [TOOL])
        messages.append(reply.to_message_dict())
        for call in reply.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": run_command(**call.args)})
        if not reply.tool_calls:
            return print(reply.content)


asyncio.run(main())
