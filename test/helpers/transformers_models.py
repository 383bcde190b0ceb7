"""Answers each line of JSON with a line of JSON: initializes, trains and scores models with transformers."""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM


def load(folder):
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)


def logprobs(model, prompt, output):
    logits = model(torch.tensor([prompt + output])).logits[0, len(prompt) - 1 : -1]
    return logits.log_softmax(-1).gather(-1, torch.tensor(output)[:, None])[:, 0]


def initialize(folder, to, config, dtype, seed, shard_size):
    """Saves random weights. Biases and norms are not 0 and 1, or a lost one would not be noticed."""
    torch.manual_seed(seed)
    source = AutoConfig.from_pretrained(folder).to_dict()
    kept = ["vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads"]
    kept += ["num_key_value_heads", "head_dim", "max_position_embeddings", "rms_norm_eps", "rope_parameters"]
    fields = {key: source[key] for key in kept if key in source}
    model_type = config.pop("model_type")
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(model_type, **fields, **config))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.1 + (1 if parameter.dim() == 1 else 0))
    model.to(getattr(torch, dtype)).save_pretrained(to, max_shard_size=shard_size)
    return {}


def score(folder, prompt, output):
    with torch.no_grad():
        return logprobs(load(folder), prompt, output).tolist()


def train(folder, to, prompt, output, rate):
    model = load(folder)
    loss = -logprobs(model, prompt, output).mean()
    loss.backward()
    untrained = [name for name, each in model.named_parameters() if each.grad is None]
    torch.optim.SGD(model.parameters(), lr=rate).step()
    model.save_pretrained(to)
    return {"untrained": untrained, "loss": loss.item()}


OPERATIONS = {"initialize": initialize, "score": score, "train": train}
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(OPERATIONS[request.pop("operation")](**request)), flush=True)
