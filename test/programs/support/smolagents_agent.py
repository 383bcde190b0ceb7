"""Runs smolagents' CodeAgent on a task. usage: smolagents_agent.py BASE_URL API_KEY TASK"""

import sys

from smolagents import CodeAgent, OpenAIServerModel

base_url, api_key, task = sys.argv[1:]
model = OpenAIServerModel(model_id="any", api_base=base_url, api_key=api_key)
agent = CodeAgent(tools=[], model=model, code_block_tags=("<code>", "</code>"), max_steps=4, verbosity_level=0)
print(agent.run(task))
