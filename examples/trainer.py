"""Trains the tiny model with GRPO: rollouts, a step, new weights, evaluation and resume.

    pip install "rolltape[embedded]" torch transformers openai
    python trainer.py --directory run

Stop it with Ctrl-C and start it again with the same folder: it goes on after its last step. A server is started for the run. For
an engine of your own, pass settings such as `engine.type=sglang engine.urls=http://gpu0:30000 model.path=/models/policy`.
"""

import argparse
import asyncio
import os
from pathlib import Path

import rolltape
import torch
from openai import AsyncOpenAI
from rolltape import advantages, attention
from transformers import AutoModelForCausalLM

TASKS = [f"Say word {number}" for number in range(8)]


async def agent(task, session):
    """Makes one model call, and returns the share of vowels in the answer."""
    async with AsyncOpenAI(base_url=f"{session.base_url}/v1", api_key=session.api_key, max_retries=0) as openai:
        messages = [{"role": "user", "content": task}]
        reply = await openai.chat.completions.create(model="policy", messages=messages, max_tokens=16, temperature=1.0)
    text = reply.choices[0].message.content or ""
    return sum(character in "aeiou" for character in text.lower()) / max(len(text), 1)


def train(model, optimizer, batch):
    """Makes one step of GRPO. Returns the loss and the largest distance of a ratio from 1, near 0 with the engine's weights."""
    tensors = batch.torch()
    mask, advantage = tensors["loss_mask"], torch.from_numpy(advantages.at_rows(batch, advantages.grpo(batch)))
    new = attention.token_logprobs(model(**attention.model_arguments(batch)).logits, batch)
    ratio = (new - tensors["logprobs"]).exp()
    loss = -(torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage) * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return {"loss": loss.item(), "ratio_distance": ((ratio - 1).abs() * mask).max().item()}


async def main(options):
    folder = Path(options.directory)
    weights = rolltape.load_state(folder).weights
    model = optimizer = None
    settings = dict(setting.split("=", 1) for setting in options.settings)
    run = {"n": 8, "batch_tasks": 8, "epochs": options.steps, "steps": options.steps, "directory": folder}
    async for step in rolltape.rollouts(agent, TASKS, server=settings, trackers=options.trackers, **run):
        if model is None:
            model = AutoModelForCausalLM.from_pretrained(
                weights or step.server.ready["model_path"], dtype=torch.float32
            )
            optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
        step.log(train(model, optimizer, step.batch))
        path = folder / f"weights-{step.version + 1}"
        model.save_pretrained(path)
        await step.update_weights(path)
        if step.index % 5 == 4:
            await step.evaluate(["Say anything"], n=8)
        print(f"step {step.index}", {name: round(value, 4) for name, value in step.metrics.items()}, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("settings", nargs="*", metavar="key=value", help="settings of the server")
    parser.add_argument("--directory", default="run")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--trackers", nargs="*", default=[], help="wandb, trackio, tensorboard")
    arguments = parser.parse_args()
    try:
        asyncio.run(main(arguments))
    except KeyboardInterrupt:
        print("Stopped. The same command goes on after the last step.")
