"""The agents of smolagents."""

from smolagents import CodeAgent, OpenAIServerModel, ToolCallingAgent, tool
from task import API_KEY, BASE_URL, MODEL, REQUEST, VARIANT, run_command

kind = ToolCallingAgent if VARIANT == "ToolCallingAgent" else CodeAgent
model = OpenAIServerModel(model_id=MODEL, api_base=f"{BASE_URL}/v1", api_key=API_KEY, client_kwargs={"max_retries": 0})
options = {} if kind is ToolCallingAgent else {"code_block_tags": ("<code>", "</code>")}
agent = kind(
    tools=[tool(run_command)], model=model, stream_outputs=VARIANT.endswith("stream"), verbosity_level=0, **options
)
print(agent.run(REQUEST, max_steps=4))
