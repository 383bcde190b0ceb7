"""DSPy's ReAct agent."""

import dspy
from task import API_KEY, BASE_URL, MODEL, REQUEST, VARIANT, run_command

lm = dspy.LM(
    f"openai/{MODEL}", api_base=f"{BASE_URL}/v1", api_key=API_KEY, model_type=VARIANT, cache=False, num_retries=0
)
with dspy.context(lm=lm):
    print(dspy.ReAct("request -> answer", tools=[run_command])(request=REQUEST))
