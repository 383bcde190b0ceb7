"""An agent behind Agent Lightning's server. It forwards no key, so the key is in the address of its model."""

import httpx
from agentlightning.server.app import create_app
from gateway import check, run_agent, serve
from task import API_KEY, BASE_URL, MODEL, REQUEST

NAMES = ("prompt_token_ids", "response_token_ids", "response_log_probs")

proxy = {
    "model_name": MODEL,
    "include_log_probs": True,
    "include_routed_experts": False,
    "train": {"temperature": 1},
    "val": {"temperature": 0.7},
}
url = serve(create_app({"key": "", "default_proxy": proxy}))
with httpx.Client(base_url=url) as client:
    client.post("/api/models", json=[{"model": MODEL, "endpoint": f"{BASE_URL}/s/{API_KEY}/v1"}]).raise_for_status()
    client.post("/api/rollouts", json=[{"input": REQUEST, "rollout_id": "task"}]).raise_for_status()
    run_agent(f"{url}/proxy/rollout/task/attempt/0/mode/train/openai/v1")
    events = client.get("/api/rollouts/task/events", params={"format": "triplet"}).raise_for_status().json()
calls = [event["data"] for event in events if event["event_type"] == "model_request"]
check([tuple(call[name] for name in NAMES) for call in calls])
