"""Runs recipes of docs/guides/recipes.md: each line is a JSON recipe, each is answered by a line with its results.

A recipe is `code`, the `directory` that it runs in, and the `names` of its results. It finds the batch under
out/batch.safetensors and in ROLLTAPE_BATCH. `model`, which transformers loads too, is one that has been run already: its logits for
each token of the batch are in logits.bin.
"""

import contextlib
import json
import os
import sys
from types import SimpleNamespace

import torch


class Model:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.logits = torch.frombuffer(bytearray(file.read()), dtype=torch.float32).requires_grad_()

    def parameters(self):
        return [self.logits]

    def __call__(self, input_ids, attention_mask=None, position_ids=None, use_cache=True):
        return SimpleNamespace(logits=self.logits.view(*input_ids.shape, -1))


def plain(value):
    return value.detach().reshape(-1).tolist() if isinstance(value, torch.Tensor) else value


def from_pretrained(*_, **__):
    return Model("logits.bin")


sys.modules["transformers"] = SimpleNamespace(AutoModelForCausalLM=SimpleNamespace(from_pretrained=from_pretrained))
os.environ["ROLLTAPE_BATCH"] = "out/batch.safetensors"

for line in sys.stdin:
    recipe = json.loads(line)
    os.chdir(recipe["directory"])
    names = {"model": Model("logits.bin")}
    try:
        # Standard output is for the results only.
        with contextlib.redirect_stdout(sys.stderr):
            exec(recipe["code"], names)
        answer = {name: plain(names[name]) for name in recipe["names"]}
    except Exception as error:
        answer = {"failed": repr(error)}
    print(json.dumps(answer), flush=True)
