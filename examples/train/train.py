"""Trains the tiny model with GRPO over the whole loop, and fails if it has not learned.

    npm run demo:train
    npm run demo:train -- --seeds 0 1 2 3 4 --control

Each step runs the agent on some tasks, takes the batch out of shared memory, makes a PyTorch step, and loads the new
weights into the running engine. The control shuffles the rewards of each batch: then nothing can be learned.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import torch
from curve import terminal_line, write_png
from learner import Learner
from two_turns import Agent, draw_tasks

from rolltape import AsyncClient, Server, run_group, serve

TASKS = 6
GROUP_SIZE = 8
# The mean reward of the last five steps. An untrained model has 0.4; one that always writes the same kind has 0.5.
LEARNED = 0.8
LAST_STEPS = 5
# llama.cpp keeps keys and values in 16 bits, so its log probabilities differ from PyTorch's by some thousandths.
RATIO_TOLERANCE = 0.02


@dataclass
class Run:
    """One training run, and what it has measured: one value for each step.

    rewards: mean over all turns. ratios: greatest distance from 1. paused: milliseconds without generation.
    """

    seed: int
    shuffled: bool
    rewards: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    paused: list[float] = field(default_factory=list)
    tokens: int = 0
    seconds: float = 0.0

    @property
    def final_reward(self) -> float:
        return float(np.mean(self.rewards[-LAST_STEPS:]))

    @property
    def on_policy(self) -> bool:
        return max(self.ratios) <= RATIO_TOLERANCE

    @property
    def as_expected(self) -> bool:
        return self.on_policy and (self.final_reward >= LEARNED) != self.shuffled


async def train(run: Run, steps: int, server: Server, weights: Path) -> None:
    """Runs the steps. weights: folder for the weights that the engine loads."""
    rng = random.Random(run.seed)
    learner = Learner(server.ready["model_path"])
    async with AsyncClient(server.url, server.admin_key) as client, httpx.AsyncClient(timeout=60) as http:
        agent = Agent(http)
        for step in range(1, steps + 1):
            groups = await run_group(agent, draw_tasks(TASKS, rng), GROUP_SIZE, client=client)
            for error in (error for group in groups for error in group.errors):
                raise error
            sessions = [session_id for group in groups for session_id in group.session_ids]
            # Each turn has a reward of its own, and nothing is passed on to the turns before it.
            async with client.shared_batch(sessions, style="individual", layout="padded", discount=0) as batch:
                rewards = batch.rewards.copy()
                run.rewards.append(float(rewards.mean()))
                run.tokens += int(batch["loss_mask"].sum())
                if run.shuffled:
                    rewards = np.array(rng.sample(list(rewards), len(rewards)), np.float32)
                run.ratios.append(learner.step(batch, rewards))
            learner.save(weights)
            record = await client.update_weights(step, weights)
            run.paused.append(record["paused_seconds"] * 1000)
            note = f"ratio at most {run.ratios[0]:.4f} from 1" if step == 1 else ""
            print(terminal_line(step, run.rewards[-1], note), flush=True)


def report(run: Run) -> None:
    """Prints what was measured."""
    print(f"reward   {run.rewards[0]:.3f} at the first step, {run.final_reward:.3f} in the last {LAST_STEPS}")
    print(f"ratio    at most {max(run.ratios):.4f} from 1 in any step; {RATIO_TOLERANCE} is allowed")
    print(f"weights  {len(run.paused)} updates; the engine paused for {np.median(run.paused):.0f} ms (median)")
    print(f"time     {run.seconds:.0f} s, {run.tokens} sampled tokens")
    if not run.on_policy:
        print("The recorded log probabilities are not those of the trainer.")
    print("The policy has learned." if run.final_reward >= LEARNED else f"The policy has not learned ({LEARNED}).")


def run_once(seed: int, shuffled: bool, options: argparse.Namespace) -> Run:
    """Starts a server, trains, and writes the curve."""
    run = Run(seed, shuffled)
    print(f"\nseed {seed}{', rewards shuffled' if shuffled else ''}")
    torch.manual_seed(seed)
    started = time.monotonic()
    settings = {"engine.type": "embedded", "engine.sequences": 16, "rollout.agent.chat_template_type": "concat"}
    with tempfile.TemporaryDirectory(prefix="rolltape-weights-") as folder:
        with serve(settings, command=options.rolltape) as server:
            asyncio.run(train(run, options.steps, server, Path(folder)))
    run.seconds = time.monotonic() - started
    report(run)
    return run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run for each")
    parser.add_argument("--control", action="store_true", help="one more run, with shuffled rewards, must learn nothing")
    parser.add_argument("--out", type=Path, default=Path("out/train.png"), help="PNG of the rewards")
    parser.add_argument("--rolltape", default=None, help="program to start; default: rolltape of the search path")
    options = parser.parse_args()
    torch.set_num_threads(1)  # The other core is the engine's.
    runs = [run_once(seed, False, options) for seed in options.seeds]
    if options.control:
        runs.append(run_once(options.seeds[0], True, options))
    write_png(options.out, runs)
    print(f"\ncurve    {options.out}")
    return 0 if all(run.as_expected for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
