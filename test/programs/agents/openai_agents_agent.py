"""OpenAI's Agents SDK, with both of its protocols, streamed and not."""

import asyncio

from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool
from openai import AsyncOpenAI
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST, VARIANT, run_command

client = AsyncOpenAI(base_url=f"{BASE_URL}/v1", api_key=API_KEY, max_retries=0)
protocol = OpenAIResponsesModel if "responses" in VARIANT else OpenAIChatCompletionsModel


async def main() -> None:
    model = protocol(MODEL, client)
    agent = Agent(name="worker", instructions=INSTRUCTIONS, model=model, tools=[function_tool(run_command)])
    if VARIANT == "handoff":
        agent = agent.clone(name="front", instructions="Hand every task off.", handoffs=[agent])
    if "stream" not in VARIANT:
        result = await Runner.run(agent, REQUEST)
    else:
        result = Runner.run_streamed(agent, REQUEST)
        async for _ in result.stream_events():
            pass
    print(result.final_output)


asyncio.run(main())
