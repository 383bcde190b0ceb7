"""Pydantic AI, with the models of four protocols."""

from google.genai import Client
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST, VARIANT, run_command


def make_model():
    if VARIANT == "anthropic":
        return AnthropicModel(MODEL, provider=AnthropicProvider(base_url=BASE_URL, api_key=API_KEY))
    if VARIANT == "gemini":
        client = Client(api_key=API_KEY, http_options={"base_url": BASE_URL})
        return GoogleModel(MODEL, provider=GoogleProvider(client=client))
    model = OpenAIResponsesModel if VARIANT == "responses" else OpenAIChatModel
    return model(MODEL, provider=OpenAIProvider(base_url=f"{BASE_URL}/v1", api_key=API_KEY))


async def read_events(_, events) -> None:
    async for _ in events:
        pass


agent = Agent(make_model(), instructions=INSTRUCTIONS, tools=[run_command])
# `run_stream` ends at the first text, which may stand before a call.
print(agent.run_sync(REQUEST, event_stream_handler=read_events if VARIANT == "chat stream" else None).output)
