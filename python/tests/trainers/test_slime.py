"""The samples that slime and miles get. They are in no registry: the type here has their fields, and no code of theirs."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import rolltape.slime
from rolltape import AsyncSession, Client, Server
from support import chat

SAMPLING = {"temperature": 0.7, "top_p": 1.0, "top_k": -1, "max_new_tokens": 5, "stop": None}
ARGS = SimpleNamespace(
    reward_key=None,
    eval_reward_key=None,
    advantage_estimator="grpo",
    rewards_normalization=True,
    grpo_std_normalization=True,
)


@dataclass
class Sample:
    class Status(Enum):
        PENDING = "pending"
        COMPLETED = "completed"
        TRUNCATED = "truncated"
        ABORTED = "aborted"
        FAILED = "failed"

    group_index: int | None = None
    index: int | None = None
    rollout_id: int | None = None
    prompt: str = ""
    tokens: list[int] = field(default_factory=list)
    response_length: int = 0
    reward: Any = None
    loss_mask: list[int] | None = None
    weight_versions: list[str] = field(default_factory=list)
    rollout_log_probs: list[float] | None = None
    remove_sample: bool = False
    status: Status = Status.PENDING
    metadata: dict[str, Any] = field(default_factory=dict)

    def get_reward_value(self, args: Any) -> float:
        return float(self.reward[args.reward_key] if args.reward_key else self.reward)


async def agent(sample: Sample, session: AsyncSession) -> float:
    messages = [{"role": "user", "content": sample.prompt}]
    for turn in range(2):
        answer = await asyncio.to_thread(chat, session, messages)
        text = answer["choices"][0]["message"]["content"] or ""
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": f"go on {turn}"}]
        if sample.prompt == "tree":
            await asyncio.to_thread(chat, session, [*messages[:-1], {"role": "user", "content": "aside"}])
        if sample.prompt == "bad":
            raise LookupError("no tool")
        if sample.prompt == "slow":
            await asyncio.sleep(60)
    return float(sample.index or 0)


def generate(server: Server, *samples: Sample, evaluation: bool = False, args: Any = ARGS) -> list[Any]:
    function = rolltape.slime.generate_function(agent, url=server.url, admin_key=server.admin_key)

    async def main() -> list[Any]:
        return await asyncio.gather(*(function(args, each, dict(SAMPLING), evaluation=evaluation) for each in samples))

    return asyncio.run(main())


def test_training_has_a_list_of_rows_for_each_episode(client: Client, server: Server) -> None:
    one, tree, bad = generate(
        server, Sample(0, 1, prompt="one"), Sample(0, 2, prompt="tree"), Sample(0, 3, prompt="bad")
    )
    assert len(one) == 1
    assert len(tree) > 1
    for sample in [*one, *tree]:
        assert len(sample.loss_mask) == len(sample.rollout_log_probs) == sample.response_length < len(sample.tokens)
        assert sum(sample.loss_mask) > 0
        assert all(
            value == 0 for value, kept in zip(sample.rollout_log_probs, sample.loss_mask, strict=True) if not kept
        )
        assert (sample.weight_versions, sample.group_index) == (["0"], 0)
        assert sample.status in (Sample.Status.COMPLETED, Sample.Status.TRUNCATED)
    assert {(sample.rollout_id, sample.reward) for sample in tree} == {(2, 2.0)}
    # All sampled tokens once: three calls of at most five tokens, the first of them shared.
    assert sum(sum(sample.loss_mask) for sample in tree) <= 20
    assert [(each.tokens, each.loss_mask, each.reward, each.remove_sample, each.status) for each in bad] == [
        ([0, 0], [0], 0.0, True, Sample.Status.FAILED)
    ]
    records = {record["session_id"]: record for record in client.sessions()}
    assert records[one[0].metadata["rolltape_session_id"]]["split"] == "train"


def test_evaluation_has_one_sample_of_an_evaluation_session(client: Client, server: Server) -> None:
    args = SimpleNamespace(**{**vars(ARGS), "eval_reward_key": "score"})
    tree, bad = generate(server, Sample(0, 2, prompt="tree"), Sample(0, 3, prompt="bad"), evaluation=True, args=args)
    assert (tree.reward, bad.reward) == ({"score": 2.0}, {"score": 0.0})
    assert client.get_session(tree.metadata["rolltape_session_id"])["split"] == "eval"


def test_the_end_of_a_step_deletes_the_episodes_that_run(
    client: Client, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = SimpleNamespace(aborted=False)
    rollout = ModuleType("rollout")
    rollout.GenerateState = lambda args: state  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, f"{__name__.partition('.')[0]}.rollout.sglang_rollout", rollout)
    before = len(list(client.sessions()))
    function = rolltape.slime.generate_function(agent, url=server.url, admin_key=server.admin_key)

    async def main() -> Any:
        running = asyncio.ensure_future(function(ARGS, Sample(0, 1, prompt="slow"), dict(SAMPLING)))
        while len(await asyncio.to_thread(lambda: list(client.sessions()))) == before:
            await asyncio.sleep(0.05)
        state.aborted = True
        return await asyncio.wait_for(running, 20)

    (sample,) = asyncio.run(main())
    assert sample.status is Sample.Status.ABORTED
    assert len(list(client.sessions())) == before


def rewarded(group: int, index: int, reward: float, removed: bool = False) -> Sample:
    return Sample(group, index, rollout_id=index, reward=reward, remove_sample=removed)


def test_rewards_count_each_episode_of_a_group_once_and_leave_failed_ones_out() -> None:
    samples = [
        rewarded(0, 0, 1.0),
        rewarded(0, 1, 0.0),
        rewarded(0, 1, 0.0),
        rewarded(0, 2, 0.0, removed=True),
        rewarded(1, 3, 5.0),
        rewarded(1, 4, 1.0),
        rewarded(1, 5, 3.0),
        rewarded(2, 6, 4.0),
    ]
    raw, relative = rolltape.slime.rewards(ARGS, samples)
    assert raw == [sample.reward for sample in samples]
    half = 0.5 / (0.5**0.5 + 1e-6)
    assert relative == pytest.approx([half, -half, -half, 0.0, 2 / (2 + 1e-6), -2 / (2 + 1e-6), 0.0, 0.0])
    large = [rewarded(0, at, 123456789.1) for at in range(3)]
    assert rolltape.slime.rewards(ARGS, large)[1] == [0.0, 0.0, 0.0]
    unscaled = SimpleNamespace(**{**vars(ARGS), "grpo_std_normalization": False})
    assert rolltape.slime.rewards(unscaled, samples)[1] == [0.5, -0.5, -0.5, 0.0, 2.0, -2.0, 0.0, 0.0]
    other = SimpleNamespace(**{**vars(ARGS), "advantage_estimator": "ppo"})
    assert rolltape.slime.rewards(other, samples)[1] == raw
