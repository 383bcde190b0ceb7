"""Inspect's ReAct agent in an evaluation of one sample."""

import os
import sys

from inspect_ai import Task, eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.tool import tool
from task import API_KEY, BASE_URL, INSTRUCTIONS, MODEL, REQUEST, VARIANT
from task import run_command as run

# Name of the provider, path and further arguments of each variant.
PROVIDERS = {
    "openai-api": (f"openai-api/rolltape/{MODEL}", "/v1", {}),
    "openai": (f"openai/{MODEL}", "/v1", {"responses_api": False}),
    "responses": (f"openai/{MODEL}", "/v1", {"responses_api": True}),
    "anthropic": (f"anthropic/{MODEL}", "", {}),
    "gemini": (f"google/{MODEL}", "", {}),
}


@tool
def run_command():
    async def execute(command: str) -> str:
        """Runs a command in a shell and returns what it prints.

        Args:
            command: the command line
        """
        return run(command)

    return execute


name, path, arguments = PROVIDERS[VARIANT]
model = get_model(name, base_url=BASE_URL + path, api_key=API_KEY, **arguments)
agent = react(prompt=INSTRUCTIONS, tools=[run_command()], submit=False)
task = Task(dataset=[Sample(input=REQUEST)], solver=agent)
[log] = eval(task, model=model, display="none", log_dir=os.environ["TMPDIR"], max_retries=0)
print(log.samples[0].output.completion if log.samples else log.error)
sys.exit(log.status != "success")
