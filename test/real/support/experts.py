"""A tiny mixture-of-experts model, and the experts that transformers chooses.

usage: experts.py make TYPE TOKENIZER_FOLDER OUT   writes a random model in float32; TYPE is qwen3_moe or mixtral
       experts.py route FOLDER                     reads sequences of ids as a JSON list of lists, writes [token][layer][experts] of each
"""

import json
import shutil
import sys
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen3MoeConfig,
    Qwen3MoeForCausalLM,
)


COMMON = {
    "hidden_size": 128,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "num_experts_per_tok": 2,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
}

MODELS = {
    "qwen3_moe": (
        Qwen3MoeForCausalLM,
        Qwen3MoeConfig,
        {"intermediate_size": 128, "moe_intermediate_size": 64, "num_experts": 8, "norm_topk_prob": True},
    ),
    "mixtral": (MixtralForCausalLM, MixtralConfig, {"intermediate_size": 64, "num_local_experts": 8}),
}


def make(kind, tokenizer, out):
    torch.manual_seed(5)
    own = json.loads((Path(tokenizer) / "config.json").read_text())
    model_class, config_class, sizes = MODELS[kind]
    config = config_class(vocab_size=own["vocab_size"], eos_token_id=own["eos_token_id"], **COMMON, **sizes)
    model = model_class(config).to(torch.float32)
    with torch.no_grad():
        # Wide enough that no two experts are nearly equal.
        for name, weights in model.named_parameters():
            if weights.ndim >= 2:
                weights.normal_(0, 0.5 if "gate.weight" in name else 0.15)
    model.save_pretrained(out)
    for file in Path(tokenizer).iterdir():
        if file.name not in ("config.json", "model.safetensors") and file.suffix in (".json", ".jinja"):
            shutil.copy(file, out)


@torch.no_grad()
def route(model, ids):
    logits = model(torch.tensor([ids]), output_router_logits=True).router_logits
    experts = torch.stack([layer.topk(model.config.num_experts_per_tok, sorted=True).indices for layer in logits], dim=1)
    return experts.tolist()


command, folder, *rest = sys.argv[1:]
if command == "make":
    make(folder, *rest)
else:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    print(json.dumps([route(model, ids) for ids in json.load(sys.stdin)]))
