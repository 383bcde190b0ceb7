"""LangGraph's agent with LangChain's model for OpenAI's protocols."""

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST, VARIANT, run_command

model = ChatOpenAI(
    model=MODEL,
    base_url=f"{BASE_URL}/v1",
    api_key=API_KEY,
    max_retries=0,
    use_responses_api=VARIANT == "responses",
    streaming=VARIANT == "chat stream",
)
agent = create_agent(model, tools=[run_command], system_prompt=INSTRUCTIONS)
print(agent.invoke({"messages": [{"role": "user", "content": REQUEST}]})["messages"][-1].content)
