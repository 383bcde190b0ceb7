"""Scores sequences with transformers in float32: the log probability of each token, and the most probable tokens of its position.

Reads {"model", "rows": [[id, …], …], "top"} and writes {"logprobs", "top_ids", "top_logprobs"}, each a list per row whose entry t is that
of token t + 1.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM


@torch.no_grad()
def score(model, ids, top):
    scores = model(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    best = scores.topk(top)
    return {
        "logprobs": scores.gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist(),
        "top_ids": best.indices.tolist(),
        "top_logprobs": best.values.tolist(),
    }


request = json.load(sys.stdin)
loaded = AutoModelForCausalLM.from_pretrained(request["model"], dtype=torch.float32).eval()
print(json.dumps([score(loaded, row, request["top"]) for row in request["rows"]]))
