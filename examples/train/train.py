"""Trains the tiny model with GRPO over the whole loop, and fails if it has not learned.

    npm run demo:train -- --seed 1

Each step runs the agent on some tasks, takes the batch out of shared memory, makes a PyTorch step, and loads the new
weights into the running engine. `--shuffle-rewards` is the control: with rewards that belong to other turns, nothing can be
learned.
"""

from __future__ import annotations

import argparse
import asyncio
import json
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
    """What a run has measured: one value for each step. `paused`: milliseconds without generation for a weight update."""

    rewards: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    paused: list[float] = field(default_factory=list)
    tokens: int = 0

    @property
    def final_reward(self) -> float:
        last = self.rewards[-LAST_STEPS:]
        return sum(last) / len(last)

    @property
    def on_policy(self) -> bool:
        return max(self.ratios) <= RATIO_TOLERANCE


async def train(server: Server, options: argparse.Namespace, weights: Path) -> Run:
    """Runs the steps. weights: folder for the weights that the engine loads."""
    rng = random.Random(options.seed)
    run = Run()
    learner = Learner(server.ready["model"]["path"])
    async with AsyncClient(server.url, server.admin_key) as client, httpx.AsyncClient(timeout=60) as http:
        agent = Agent(http)
        for step in range(1, options.steps + 1):
            groups = await run_group(agent, draw_tasks(TASKS, rng), GROUP_SIZE, client=client)
            for error in (error for group in groups for error in group.errors):
                raise error
            sessions = [session_id for group in groups for session_id in group.session_ids]
            # Each turn has its own reward, so nothing is passed on to the turns before it.
            async with client.shared_batch(sessions, style="individual", layout="padded", discount=0) as batch:
                rewards = batch.rewards.copy()
                run.rewards.append(float(rewards.mean()))
                run.tokens += int(batch["loss_mask"].sum())
                if options.shuffle_rewards:
                    rewards = np.array(rng.sample(list(rewards), len(rewards)), np.float32)
                run.ratios.append(learner.step(batch, rewards))
            learner.save(weights)
            record = await client.update_weights(step, weights)
            run.paused.append(record["paused_seconds"] * 1000)
            note = f"|ratio - 1| ≤ {run.ratios[0]:.4f} at the first step" if step == 1 else ""
            print(terminal_line(step, run.rewards[-1], note), flush=True)
    return run


def report(run: Run, options: argparse.Namespace, seconds: float) -> bool:
    """Prints what was measured. Returns whether the policy has learned on its own samples."""
    learned = run.final_reward >= LEARNED
    print(f"reward    {run.rewards[0]:.3f} at the first step, {run.final_reward:.3f} in the last {LAST_STEPS}")
    print(f"ratio     at most {max(run.ratios):.4f} from 1 in any step: the engine and PyTorch agree")
    print(f"weights   {len(run.paused)} updates, engine paused for {np.median(run.paused):.0f} ms (median)")
    print(f"time      {seconds:.0f} s, {run.tokens} sampled tokens")
    print(f"curve     {options.out}")
    if not run.on_policy:
        print(f"The recorded log probabilities differ from the trainer's by more than {RATIO_TOLERANCE}.")
    print("The policy has learned." if learned else f"The policy has not learned: {LEARNED} was expected.")
    return learned and run.on_policy


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--shuffle-rewards", action="store_true", help="control: rewards belong to other turns")
    parser.add_argument("--out", type=Path, default=Path("out/train.png"), help="PNG of the rewards")
    parser.add_argument("--rolltape", default=None, help="program to start; default: rolltape of the search path")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # The other core is the engine's.
    started = time.monotonic()
    settings = {"engine.type": "embedded", "engine.sequences": 16, "rollout.agent.chat_template_type": "concat"}
    with tempfile.TemporaryDirectory(prefix="rolltape-weights-") as folder:
        with serve(settings, command=options.rolltape) as server:
            run = asyncio.run(train(server, options, Path(folder)))
    write_png(options.out, run.rewards, "GRPO on the tiny model" + (", shuffled" if options.shuffle_rewards else ""))
    options.out.with_suffix(".json").write_text(json.dumps({"rewards": run.rewards, "ratios": run.ratios}))
    return 0 if report(run, options, time.monotonic() - started) else 1


if __name__ == "__main__":
    sys.exit(main())
