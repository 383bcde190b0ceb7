"""Shows that layout and shards do not change what is trained, and that advantages are those of a calculation by hand.

    python3 examples/train/gradients.py --rolltape dist/cli/main.js

Four agents run at once on the demo's kind of task: one with a single turn, one with three turns under a discount, one that
branches and has side conversations, and one whose only reward is on its first turn. Their sessions are exported in three
layouts, for one rank and for two, and each export gives one gradient. All six must be the same.

Then rewards are computed as the trainers verl, SkyRL and slime do it from their rows, with the columns of the batch, and
compared with what the agents returned. Needs torch and transformers.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import httpx
import torch
from transformers import AutoModelForCausalLM
from two_turns import MAX_TOKENS, score

from rolltape import AsyncClient, AsyncSession, Batch, advantages, attention, run_group, serve

TASKS = 2
GROUP_SIZE = 4
DISCOUNT = 0.9
TOLERANCE = 1e-5
LAYOUTS: Mapping[str, Mapping[str, Any]] = {
    "padded": {"style": "concat", "shared_turns": "first", "turns": True},
    "packed": {"style": "concat", "shared_turns": "first", "turns": True},
    "tree": {},
}

Messages = list[dict[str, str]]


class Agents:
    """Returns what each agent is rewarded with: a number for the session, or rewards by interaction."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def ask(self, session: AsyncSession, messages: Messages) -> tuple[str, str]:
        """Makes a model call. Returns the id of the interaction and the answer."""
        reply = await self.http.post(
            f"{session.base_url}/v1/chat/completions",
            headers={"authorization": f"Bearer {session.api_key}"},
            json={"messages": messages, "max_tokens": MAX_TOKENS, "temperature": 1.0},
        )
        completion = reply.raise_for_status().json()
        return completion["id"], completion["choices"][0]["message"]["content"] or ""

    async def converse(self, session: AsyncSession, kinds: list[str], before: Messages = ()) -> tuple[list[str], Messages]:
        """Asks for one kind after the other. Returns the ids of the interactions, and the conversation."""
        messages, ids = list(before), []
        for kind in kinds:
            messages.append({"role": "user", "content": f"Write {kind}."})
            interaction, answer = await self.ask(session, messages)
            messages.append({"role": "assistant", "content": answer})
            ids.append(interaction)
        return ids, messages

    async def single_turn(self, kind: str, session: AsyncSession) -> float:
        _, messages = await self.converse(session, [kind])
        return score(messages[-1]["content"], kind)

    async def three_turns(self, kind: str, session: AsyncSession) -> float:
        _, messages = await self.converse(session, ["letters", "digits", kind])
        return score(messages[-1]["content"], kind)

    async def branches(self, kind: str, session: AsyncSession) -> dict[str, float]:
        """Continues its first turn twice, and makes a call beside the conversation."""
        _, start = await self.converse(session, ["letters"])
        rewards = {}
        for _ in range(2):
            ids, messages = await self.converse(session, [kind], start)
            rewards[ids[-1]] = score(messages[-1]["content"], kind)
        await self.ask(session, [{"role": "user", "content": "Write a title."}])
        return rewards

    async def early_reward(self, kind: str, session: AsyncSession) -> dict[str, float]:
        """Rewards the first of two turns only."""
        ids, messages = await self.converse(session, [kind, "digits"])
        return {ids[0]: score(messages[1]["content"], kind)}


async def record(client: AsyncClient) -> tuple[list[str], dict[str, float]]:
    """Runs all agents. Returns the sessions, and what the agent of each returned."""
    async with httpx.AsyncClient(timeout=60) as http:
        agents = Agents(http)
        functions = [agents.single_turn, agents.three_turns, agents.branches, agents.early_reward]
        kinds = ["letters", "digits"][:TASKS]
        runs = await asyncio.gather(*(run_group(each, kinds, GROUP_SIZE, client=client) for each in functions))
    groups = [group for run in runs for group in run]
    for error in (error for group in groups for error in group.errors):
        raise error
    returned = {}
    for episode in (episode for group in groups for episode in group.episodes):
        reward = episode.reward
        returned[episode.session_id] = sum(reward.values()) if isinstance(reward, Mapping) else reward
    return list(returned), returned


def gradient(model: torch.nn.Module, shards: list[Batch]) -> torch.Tensor:
    """Returns the gradient of the GRPO loss. Each shard is what one rank has; their gradients are added, as all-reduce does."""
    model.zero_grad()
    # Each rank needs this sum for a loss that is a mean over the whole batch.
    tokens = sum(int(shard["loss_mask"].sum()) for shard in shards)
    for shard in shards:
        tensors = shard.torch()
        advantage = torch.from_numpy(advantages.at_rows(shard, advantages.grpo(shard)))
        new = attention.token_logprobs(model(**attention.model_arguments(shard)).logits, shard)
        ratio = (new - tensors["logprobs"]).exp()
        (-(ratio * advantage * tensors["loss_mask"]).sum() / tokens).backward()
    return torch.cat([parameter.grad.reshape(-1) for parameter in model.parameters() if parameter.grad is not None])


async def compare_gradients(client: AsyncClient, sessions: list[str], model: torch.nn.Module) -> bool:
    """Prints how far the gradient of each layout and number of ranks is from that of one padded batch."""
    reference: torch.Tensor | None = None
    same = True
    for layout, options in LAYOUTS.items():
        for ranks in (1, 2):
            fields = {"layout": layout, "discount": DISCOUNT, "on_mismatch": "split", **options, "acknowledge": True}
            shards = [
                await client.export_batch(sessions, **fields, shards=ranks, shard=rank) for rank in range(ranks)
            ]
            found = gradient(model, shards)
            reference = found if reference is None else reference
            distance = float((found - reference).norm() / reference.norm())
            same = same and distance <= TOLERANCE
            tokens = sum(int(shard["loss_mask"].sum()) for shard in shards)
            print(f"{layout:7} {ranks} rank{'s' if ranks > 1 else ' '}  {tokens} trained tokens, gradient {distance:.1e} from the first")
    return same


def grpo_of_sample_std(rewards: list[float], groups: list[str]) -> list[float]:
    """GRPO as verl, SkyRL and slime compute it: with the sample's standard deviation (n - 1) and an epsilon of 1e-6."""
    members = defaultdict(list)
    for reward, group in zip(rewards, groups, strict=True):
        members[group].append(reward)
    return [
        (reward - statistics.fmean(members[group])) / (statistics.stdev(members[group]) + 1e-6)
        for reward, group in zip(rewards, groups, strict=True)
    ]


def last_rows(batch: Batch) -> dict[str, float]:
    """verl (multi-trajectory) and SkyRL (step-wise): the reward of a session's last row counts, for all its rows."""
    samples = [sample for sample in batch.samples() if sample.is_last]
    values = grpo_of_sample_std([each.episode_reward for each in samples], [str(each.group_id) for each in samples])
    return {sample.session_id: value for sample, value in zip(samples, values, strict=True)}


def mean_of_rows(batch: Batch) -> dict[str, float]:
    """slime and miles: all rows of a rollout must have one reward, and each rollout counts once."""
    rewards, groups = defaultdict(set), {}
    for sample in batch.samples():
        rewards[sample.session_id].add(sample.episode_reward)
        groups[sample.session_id] = str(sample.group_id)
    (counts,) = {len(values) for values in rewards.values()} or {0}
    assert counts == 1, "rows of one session have different rewards"
    values = grpo_of_sample_std([value for (value,) in rewards.values()], list(groups.values()))
    return dict(zip(rewards, values, strict=True))


async def compare_advantages(client: AsyncClient, sessions: list[str], returned: dict[str, float]) -> bool:
    """Prints how far the trainers' advantages are from those that follow from what the agents returned."""
    batch = await client.export_batch(
        sessions, style="concat", on_mismatch="split", shared_turns="first", discount=DISCOUNT, acknowledge=True
    )
    groups = dict(zip(batch.session_ids, batch.groups, strict=True))
    expected = dict(
        zip(sessions, grpo_of_sample_std([returned[each] for each in sessions], [groups[each] for each in sessions]), strict=True)
    )
    same = True
    for name, compute in (("verl, SkyRL", last_rows), ("slime, miles", mean_of_rows)):
        distance = max(abs(value - expected[session]) for session, value in compute(batch).items())
        same = same and distance <= 1e-4
        print(f"{name:12}  advantages {distance:.1e} from those by hand")
    return same


async def check(options: argparse.Namespace) -> bool:
    settings = {"engine.type": "embedded", "engine.sequences": 16, "rollout.agent.chat_template_type": "concat"}
    with serve(settings, command=options.rolltape) as server:
        model = AutoModelForCausalLM.from_pretrained(server.ready["model_path"], dtype=torch.float32)
        async with AsyncClient(server.url, server.admin_key) as client:
            sessions, returned = await record(client)
            same = await compare_gradients(client, sessions, model)
            return await compare_advantages(client, sessions, returned) and same


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rolltape", help="program that serves; default: rolltape of the search path")
    options = parser.parse_args()
    sys.exit(0 if asyncio.run(check(options)) else 1)


if __name__ == "__main__":
    main()
