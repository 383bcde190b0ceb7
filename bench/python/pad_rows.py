"""A straightforward PyTorch export: every row from Python lists, padded with pad, joined with cat.

    pad_rows.py LOAD DISCOUNT

LOAD is the file that load-file.ts writes. For each line on standard input answers one line of JSON:
`pack`: {"seconds"}; `checksums`: the SHA-256 of each tensor of the last batch.
"""

import ctypes
import hashlib
import json
import sys
import time
from array import array
from dataclasses import dataclass

import torch
from torch.nn.functional import pad


@dataclass
class Interaction:
    """A recorded model call, as recorders in Python keep it: whole lists."""

    input_ids: list[int]
    output_ids: list[int]
    logprobs: list[float]
    versions: list[int]
    reward: float = 0.0


def read_load(path: str, discount: float) -> list[Interaction]:
    with open(path, "rb") as file:
        data = file.read()
    words = memoryview(data).cast("i")
    position = 1
    interactions = []
    for _ in range(words[0]):
        turns, position = words[position], position + 1
        history: list[int] = []
        session = []
        for _ in range(turns):
            tail_length, output_length, version = words[position : position + 3]
            position += 3
            input_ids = history + words[position : position + tail_length].tolist()
            position += tail_length
            output_ids = words[position : position + output_length].tolist()
            position += output_length
            logprobs = array("f", bytes(words[position : position + output_length])).tolist()
            position += output_length
            session.append(Interaction(input_ids, output_ids, logprobs, [version] * output_length))
            history = input_ids + output_ids
        session[-1].reward = 1.0
        for child, parent in zip(session[:0:-1], session[-2::-1]):
            parent.reward = child.reward * discount
        interactions.extend(session)
    return interactions


def to_tensor_dict(interaction: Interaction) -> dict[str, torch.Tensor]:
    prompt, output = len(interaction.input_ids), len(interaction.output_ids)
    return {
        "input_ids": torch.tensor([interaction.input_ids + interaction.output_ids], dtype=torch.int32),
        "loss_mask": torch.tensor([[0] * prompt + [1] * output], dtype=torch.int32),
        "logprobs": torch.tensor([[0.0] * prompt + interaction.logprobs], dtype=torch.float32),
        "versions": torch.tensor([[-1] * prompt + interaction.versions], dtype=torch.int32),
        "attention_mask": torch.ones(1, prompt + output, dtype=torch.bool),
        "rewards": torch.tensor([interaction.reward], dtype=torch.float32),
    }


def pack(interactions: list[Interaction]) -> dict[str, torch.Tensor]:
    rows = [to_tensor_dict(interaction) for interaction in interactions]
    width = max(row["input_ids"].shape[1] for row in rows)
    padding = {"input_ids": 0, "loss_mask": 0, "logprobs": 0.0, "versions": -1, "attention_mask": False}
    batch = {
        name: torch.cat([pad(row[name], (0, width - row[name].shape[1]), value=value) for row in rows])
        for name, value in padding.items()
    }
    return {**batch, "rewards": torch.cat([row["rewards"] for row in rows])}


def sha256(tensor: torch.Tensor) -> str:
    size = tensor.numel() * tensor.element_size()
    return hashlib.sha256((ctypes.c_char * size).from_address(tensor.data_ptr())).hexdigest()


def main() -> None:
    interactions = read_load(sys.argv[1], float(sys.argv[2]))
    batch: dict[str, torch.Tensor] = {}
    for line in sys.stdin:
        if line.strip() == "pack":
            batch = {}
            started = time.perf_counter()
            batch = pack(interactions)
            answer = {"seconds": time.perf_counter() - started}
        else:
            answer = {name: sha256(tensor) for name, tensor in batch.items()}
        print(json.dumps(answer))


main()
