"""Takes a batch of ended sessions out of a running proxy on this machine, without copying it.

    ROLLTAPE_ADMIN_API_KEY=… python3 read_shard.py http://127.0.0.1:8090 SESSION_ID SESSION_ID --discount 0.9

A rank of a data-parallel trainer says which shard is its own (torchrun sets RANK and WORLD_SIZE, the defaults):

    python3 read_shard.py http://127.0.0.1:8090 SESSION_ID SESSION_ID --shards 2 --shard 1

Behind a gateway, `--shard-by workers` lets the worker of the sessions pack the shard. The rank maps it if the worker is on its
machine, and receives it otherwise.

Needs the package `rolltape` (pip install rolltape), which needs httpx and numpy.
"""

import argparse
import json
import os
import sys

import rolltape


def summary(batch):
    """Returns a summary of the batch: shapes, trained tokens, rewards and advantages."""
    trained = int(batch["loss_mask"].sum())
    return {
        "rows": [row["interaction_id"] for row in batch.rows],
        "shapes": {name: list(tensor.shape) for name, tensor in batch.tensors.items()},
        "trained_tokens": trained,
        # Log probabilities are 0 where nothing was sampled.
        "mean_logprob": float(batch["logprobs"].sum(dtype=float)) / max(trained, 1),
        "rewards": batch.rewards.tolist(),
        "advantages": rolltape.advantages.grpo(batch).tolist(),
    }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("session_ids", nargs="+", metavar="session")
    parser.add_argument("--style", choices=["individual", "concat"], default="individual")
    parser.add_argument("--layout", choices=["padded", "packed", "tree"], default="padded")
    parser.add_argument("--discount", type=float, default=1.0)
    parser.add_argument("--pad-to-multiple-of", type=int, default=16)
    parser.add_argument("--shards", type=int, default=int(os.environ.get("WORLD_SIZE", "1")))
    parser.add_argument("--shard", type=int, default=int(os.environ.get("RANK", "0")))
    parser.add_argument("--shard-by", choices=["tokens", "workers"], default="tokens")
    return parser.parse_args()


def main():
    options = vars(arguments())
    # A call that does not continue its parent's tokens begins a row of its own; it does not end the step.
    if options["style"] == "concat":
        options["on_mismatch"] = "split"
    admin_key = os.environ.get("ROLLTAPE_ADMIN_API_KEY")
    if not admin_key:
        sys.exit("ROLLTAPE_ADMIN_API_KEY is not set")
    try:
        # At the end of the block the batch is acknowledged, and its memory may hold the next one.
        with rolltape.Client(options.pop("url"), admin_key) as client, client.shared_batch(**options) as batch:
            print(json.dumps(summary(batch)))
    except rolltape.RolltapeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
