"""Log probabilities of alternatives, with transformers in float32.

usage: alternatives.py FOLDER   reads a JSON list of {"ids", "first", "temperature", "width", "top", "fixed"}, writes a list of
       {"best", "top", "fixed"}: for each token of `ids` from `first` on, the `width` largest log probabilities, and those of
       the ids that `top` has for this token and of the ids in `fixed`
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32).eval()


@torch.no_grad()
def score(ids, first, temperature, width, top, fixed):
    logits = model(torch.tensor([ids])).logits[0, first - 1 : -1]
    logprobs = (logits / temperature).log_softmax(-1)
    return {
        "best": logprobs.topk(width, sorted=True).values.tolist(),
        "top": logprobs.gather(-1, torch.tensor(top)).tolist() if top else [],
        "fixed": logprobs[:, fixed].tolist(),
    }


print(json.dumps([score(**claim) for claim in json.load(sys.stdin)]))
