"""An agent in Python's standard library: one chat call, and the reward that its data names."""
import json
import os
import sys
import urllib.request

data = json.load(sys.stdin)
body = {"model": "any", "messages": [{"role": "user", "content": data["question"]}], "max_tokens": 4}
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    json.dumps(body).encode(),
    {"Authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as reply:
    completion = json.load(reply)
print("a line that is no reward")
print(json.dumps({completion["id"]: data["reward"]}))
