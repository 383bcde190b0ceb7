"""mini-swe-agent with its own prompts."""

import importlib.resources

import yaml
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.litellm_model import LitellmModel
from minisweagent.models.litellm_response_model import LitellmResponseModel
from minisweagent.models.litellm_textbased_model import LitellmTextbasedModel
from task import API_KEY, BASE_URL, MODEL, REQUEST, VARIANT

MODELS = {"chat": LitellmModel, "responses": LitellmResponseModel, "chat without tools": LitellmTextbasedModel}
FILE = "mini_textbased.yaml" if VARIANT == "chat without tools" else "mini.yaml"

config = yaml.safe_load(importlib.resources.files("minisweagent.config").joinpath(FILE).read_text())
model = config["model"]
model["model_kwargs"] |= {"api_base": f"{BASE_URL}/v1", "api_key": API_KEY, "num_retries": 0}
agent = DefaultAgent(
    MODELS[VARIANT](model_name=f"openai/{MODEL}", cost_tracking="ignore_errors", **model),
    LocalEnvironment(**config["environment"]),
    **{name: config["agent"][name] for name in ("system_template", "instance_template")},
)
print(agent.run(REQUEST))
