"""Google's Agent Development Kit, with its own model and with LiteLLM."""

import asyncio

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.google_llm import Gemini
from google.adk.models.lite_llm import LiteLlm
from google.adk.runners import InMemoryRunner
from google.genai import types
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST, VARIANT, run_command

if VARIANT.startswith("gemini"):
    model = Gemini(model=MODEL, base_url=BASE_URL)
else:
    model = LiteLlm(model=f"openai/{MODEL}", api_base=f"{BASE_URL}/v1", api_key=API_KEY)


async def main() -> None:
    agent = LlmAgent(name="worker", model=model, instruction=INSTRUCTIONS, tools=[run_command])
    runner = InMemoryRunner(agent)
    session = await runner.session_service.create_session(app_name=runner.app_name, user_id="user")
    message = types.Content(role="user", parts=[types.Part(text=REQUEST)])
    config = RunConfig(streaming_mode=StreamingMode.SSE if "stream" in VARIANT else StreamingMode.NONE)
    async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message, run_config=config):
        print(event.content)


asyncio.run(main())
