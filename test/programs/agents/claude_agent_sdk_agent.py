"""Claude Agent SDK with a tool in its own process."""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST
from task import run_command as run


@tool("run_command", "Runs a command in a shell and returns what it prints.", {"command": str})
async def run_command(arguments: dict) -> dict:
    return {"content": [{"type": "text", "text": run(arguments["command"])}]}


async def main() -> None:
    options = ClaudeAgentOptions(
        model=MODEL,
        system_prompt=INSTRUCTIONS,
        mcp_servers={"shell": create_sdk_mcp_server("shell", tools=[run_command])},
        tools=[],
        allowed_tools=["mcp__shell__run_command"],
        env={"ANTHROPIC_BASE_URL": BASE_URL, "ANTHROPIC_API_KEY": API_KEY},
    )
    async for message in query(prompt=REQUEST, options=options):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main())
