"""Times a batch from shared memory to a GPU, with and without registered memory. Needs a GPU and PyTorch, and takes under four minutes.

    npm run build && PYTHONPATH=python/src python3 bench/pinned/pinned.py

It starts a proxy with the tiny model, records sessions, and exports the same ones again and again, so that the batch has one size. It
prints the machine's GPU, and a table in Markdown: milliseconds from the export's answer to tensors on the GPU, median of the rounds
after the first, which is apart. Both ways must give the same tensors, else it ends with status 1.
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

import httpx
import torch

import rolltape

COMMAND = Path(__file__).resolve().parents[2] / "dist" / "cli" / "main.js"
SESSIONS, CALLS, ROUNDS = 32, 8, 20
# Long prompts: the size of a batch matters here, not its model.
PROMPT = "word " * 1500


def record(client: rolltape.Client) -> list[str]:
    """Returns the ids of ended sessions. Rows of single calls repeat their prompt, so the batch is large."""
    ids = []
    with httpx.Client(timeout=120) as http:
        for number in range(SESSIONS):
            client.grant_capacity()
            with client.session() as session:
                for call in range(CALLS):
                    http.post(
                        f"{session.base_url}/v1/chat/completions",
                        headers={"authorization": f"Bearer {session.api_key}"},
                        json={"messages": [{"role": "user", "content": f"{call} {PROMPT}"}], "max_tokens": 4},
                    ).raise_for_status()
                session.set_reward(float(number % 2))
            ids.append(session.session_id)
    return ids


def measure(client: rolltape.Client, ids: list[str], pin: bool) -> tuple[list[float], dict[str, torch.Tensor], int]:
    """Returns the milliseconds of each round, the tensors of the last one, and their bytes."""
    times: list[float] = []
    for _ in range(ROUNDS):
        with client.shared_batch(ids, layout="packed", pin=pin) as batch:
            torch.cuda.synchronize()
            started = time.perf_counter()
            tensors = batch.torch("cuda")
            torch.cuda.synchronize()
            times.append(1000 * (time.perf_counter() - started))
            size = sum(tensor.nbytes for tensor in batch.tensors.values())
    return times, tensors, size


def main() -> int:
    if not torch.cuda.is_available():
        print("There is no GPU: nothing was measured.", file=sys.stderr)
        return 2
    settings = {"rollout.agent.export_retention_seconds": 3600, "rollout.agent.engine_max_tokens": 8192}
    with rolltape.serve(settings, command=COMMAND) as server, rolltape.Client(server.url, server.admin_key) as client:
        ids = record(client)
        plain, plain_tensors, size = measure(client, ids, pin=False)
        pinned, pinned_tensors, _ = measure(client, ids, pin=True)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, a batch of {size / 1e6:.1f} MB\n")
    print("| way | first, ms | median of the others, ms | GB/s |\n|---|---|---|---|")
    for name, times in (("copied to page-locked memory", plain), ("registered memory", pinned)):
        median = statistics.median(times[1:])
        print(f"| {name} | {times[0]:.2f} | {median:.2f} | {size / median / 1e6:.2f} |")
    same = all(torch.equal(tensor, pinned_tensors[name]) for name, tensor in plain_tensors.items())
    print("\nThe tensors are the same." if same else "\nThe tensors differ.")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
