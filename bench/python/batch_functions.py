"""Times what a trainer calls on one batch of 8.4 million tokens: 32,768 rows of 256 tokens, each with four turns, in groups of eight.

    PYTHONPATH=python/src python3 bench/python/batch_functions.py [rows]

Prints a table in Markdown, in milliseconds: the best of three runs, each on a batch that was just opened. A column for each
layout; a dash if the layout has no such values. To compare two versions, run it with the sources of each.
"""

import json
import sys
import time

import numpy as np

import rolltape
from rolltape import advantages, ratios
from rolltape.batch.predecessors import predecessors

TOKENS, TURNS, GROUP = 256, 4, 8
ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 32_768


def make(layout):
    """Returns the tensors and the metadata of a batch."""
    random, rows, count = np.random.default_rng(1), ROWS, ROWS * TOKENS
    own = TOKENS // TURNS
    output = np.arange(count) % own >= own // 2
    tensors = {
        "input_ids": random.integers(0, 32_000, count, np.int32),
        "loss_mask": output.astype(np.int32),
        "logprobs": np.where(output, -random.random(count, np.float32), np.float32(0)),
        "versions": np.where(output, 3, -1).astype(np.int32),
        "attention_mask": np.ones(count, bool),
    }
    numbers = np.arange(rows)
    described = [
        {
            "session_id": f"s-{row}",
            "task_id": "t",
            "group_id": f"g-{row // GROUP}",
            "interaction_id": f"i-{row}",
            "length": TOKENS,
        }
        for row in range(rows)
    ]
    if layout == "padded":
        tensors = {name: tensor.reshape(rows, TOKENS) for name, tensor in tensors.items()}
    else:
        tensors["position_ids"] = np.tile(np.arange(TOKENS, dtype=np.int32), rows)
    if layout == "packed":
        tensors["cu_seqlens"] = np.arange(0, count + 1, TOKENS, dtype=np.int32)
    reward = random.random(rows, np.float32)
    if layout == "tree":
        parents = np.where(numbers % TURNS == 0, -1, numbers - 1)
        tensors |= {
            "node_parents": parents.astype(np.int32),
            "node_offsets": np.arange(0, count + 1, TOKENS, dtype=np.int32),
            "node_lengths": ((numbers % TURNS + 1) * TOKENS).astype(np.int32),
            "node_rewards": reward,
            "cu_trees": np.arange(0, count + 1, TOKENS * TURNS, dtype=np.int32),
            "subtree_end": ((np.arange(count) // (TOKENS * TURNS) + 1) * TOKENS * TURNS).astype(np.int32),
        }
        tensors["position_ids"] = np.tile(np.arange(TOKENS * TURNS, dtype=np.int32), rows // TURNS)
    else:
        tensors["rewards"] = reward
        start = np.tile(np.arange(TURNS) * own + own // 2, rows).astype(np.int32)
        tensors |= {
            "cu_turns": np.arange(0, rows * TURNS + 1, TURNS, dtype=np.int32),
            "turn_start": start,
            "turn_end": start + own // 2,
            "turn_reward": random.random(rows * TURNS, np.float32),
            "turn_own_reward": random.random(rows * TURNS, np.float32),
            "turn_has_reward": np.ones(rows * TURNS, bool),
            "turn_turn": np.tile(np.arange(TURNS, dtype=np.int32), rows),
            "turn_interaction": np.tile(np.arange(TURNS, dtype=np.int32), rows),
            "turn_temperature": np.ones(rows * TURNS, np.float32),
            "turn_finish_reason": np.zeros(rows * TURNS, np.int32),
        }
    tensors |= {
        "row_temperature": np.ones(rows, np.float32),
        "row_truncated": numbers % 7 == 0,
        "row_min_version": np.full(rows, 3, np.int32),
        "row_turn": (numbers % TURNS).astype(np.int32),
        "row_interaction": (numbers % TURNS).astype(np.int32),
        "row_prompt_tokens": np.full(rows, own // 2, np.int32),
        "row_finish_reason": np.zeros(rows, np.int32),
        "row_episode": numbers.astype(np.int32),
        "episode_group": (numbers // GROUP).astype(np.int32),
        "episode_rows": np.ones(rows, np.int32),
        "episode_reward": reward,
        "episode_return": reward,
        "episode_has_reward": np.ones(rows, bool),
    }
    if layout == "tree":
        tensors["row_prompt_tokens"] += (numbers % TURNS * TOKENS).astype(np.int32)
    episodes = [
        {
            "session_id": each["session_id"],
            "group_id": each["group_id"],
            "reward": float(value),
            "return": float(value),
            "rows": 1,
        }
        for each, value in zip(described, reward, strict=True)
    ]
    metadata = {
        "layout": layout,
        "style": "concat",
        "discount": "0.9",
        "rows": json.dumps(described),
        "episodes": json.dumps(episodes),
        "row_codes": json.dumps({"finish_reason": ["stop", "length"]}),
    }
    return tensors, metadata


def in_parts(batch, sort):
    return sum(len(part) for part in batch.minibatches(65_536, sort=sort))


def functions(logprobs):
    """The calls by name. Those of turns are not for a tree batch."""
    return {
        "groups": lambda batch: batch.groups,
        "advantages.grpo": advantages.grpo,
        "advantages.rloo": advantages.rloo,
        "advantages.zero_variance": advantages.zero_variance,
        "advantages.grpo_by_turn": advantages.grpo_by_turn,
        "advantages.grpo_by_return": advantages.grpo_by_return,
        "advantages.turn_returns": advantages.turn_returns,
        "advantages.at_rows": lambda batch: advantages.at_rows(batch, np.ones(len(batch), np.float32)),
        "advantages.at_turns": lambda batch: advantages.at_turns(batch, np.ones(len(batch["turn_start"]), np.float32)),
        "advantages.token_temperatures": advantages.token_temperatures,
        "attention.predecessors": predecessors,
        "ratios.overlong_mask": ratios.overlong_mask,
        "ratios.sequence_ratios": lambda batch: ratios.sequence_ratios(batch, logprobs),
        "ratios.stale_groups": lambda batch: ratios.stale_groups(batch, 2),
        "places": lambda batch: batch.places,
        "samples": lambda batch: batch.samples(),
        "samples, ids and log probabilities of all": lambda batch: [
            (sample.prompt_ids, sample.response_ids, sample.response_logprobs) for sample in batch.samples()
        ],
        "minibatches of 65,536 tokens, all": lambda batch: in_parts(batch, False),
        "the same, sorted by length": lambda batch: in_parts(batch, True),
        "select, every second row": lambda batch: batch.select(np.arange(0, len(batch), 2)),
    }


def best(tensors, metadata, function):
    times = []
    for _ in range(3):
        batch = rolltape.Batch(tensors, metadata)
        # Parsing the JSON of the metadata is the same work before each of them.
        _ = (batch.rows, batch.episodes)
        started = time.perf_counter()
        function(batch)
        times.append(time.perf_counter() - started)
    return f"{1000 * min(times):,.1f}"


def main():
    layouts = ("packed", "padded", "tree")
    table = {}
    for layout in layouts:
        tensors, metadata = make(layout)
        for name, function in functions(tensors["logprobs"]).items():
            not_of_tree = ("advantages.turn_returns", "advantages.at_turns", "select, every second row")
            skipped = layout == "tree" and name in not_of_tree
            table.setdefault(name, []).append("–" if skipped else best(tensors, metadata, function))
            print(layout, name, table[name][-1], file=sys.stderr)
    print(f"| ms, {ROWS * TOKENS / 1e6:.1f} M tokens | {' | '.join(layouts)} |\n|---|---|---|---|")
    for name, times in table.items():
        print(f"| `{name}` | {' | '.join(times)} |" if "." in name else f"| {name} | {' | '.join(times)} |")


main()
