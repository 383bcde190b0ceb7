"""The rollout function for GRPOTrainer and the callback that sends weights, with stand-ins for the trainer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from rolltape import AsyncSession, BatchError, Client, RolltapeError, Server
from rolltape.trl import make_rollout_func, rollout_reward, weight_sync_callback
from trl_support import ask, complete

Make = Callable[..., Callable[[list[Any]], dict[str, Any]]]


@dataclass
class Trainer:
    """What the rollout function takes from GRPOTrainer."""

    temperature: float = 1.0


@pytest.fixture
def make(server: Server, client: Client) -> Iterator[Make]:
    """Makes rollout functions. At the end no session is open."""

    def make(agent: Any, temperature: float = 1.0, **options: Any) -> Callable[[list[Any]], dict[str, Any]]:
        function = make_rollout_func(server.url, server.admin_key, agent, **options)
        return lambda prompts: function(prompts, Trainer(temperature))

    yield make
    assert [*client.sessions("active"), *client.sessions("ended")] == []


async def short_agent(task: Any, session: AsyncSession) -> float:
    await ask(session, [{"role": "user", "content": f"Task {task}"}])
    return len(task) / 8


def test_there_is_one_row_for_each_prompt_in_their_order(make: Make) -> None:
    prompts = ["a", "a", "bbb", "cc", "dddd"]
    fields = make(short_agent)(prompts)
    assert fields["rollout_reward"] == [len(prompt) / 8 for prompt in prompts]
    assert rollout_reward(prompts, [], **fields) == fields["rollout_reward"]
    for prompt, completion, logprobs, mask in zip(
        fields["prompt_ids"], fields["completion_ids"], fields["logprobs"], fields["env_mask"], strict=True
    ):
        assert prompt
        assert len(completion) == len(logprobs) == len(mask) > 0
        assert mask[0] == 1
        assert all(logprob < 0 for logprob in logprobs)
    assert fields["prompt_ids"][0] == fields["prompt_ids"][1] != fields["prompt_ids"][2]


def test_tokens_of_later_prompts_are_not_trained(make: Make) -> None:
    async def agent(task: Any, session: AsyncSession) -> float:
        messages = [{"role": "user", "content": "a"}]
        answer = await ask(session, messages)
        await ask(session, [*messages, {"role": "assistant", "content": answer}, {"role": "user", "content": "b"}])
        return 1.0

    fields = make(agent, several_rows="longest")([f"task {number}" for number in range(6)])
    joined = [mask for mask in fields["env_mask"] if 0 in mask]
    assert joined, "no conversation continued its tokens"
    for mask, logprobs in zip(fields["env_mask"], fields["logprobs"], strict=True):
        assert all((logprob < 0) == (trained == 1) for logprob, trained in zip(logprobs, mask, strict=True))


def test_a_task_can_be_made_from_the_prompt(make: Make) -> None:
    seen: list[Any] = []

    async def agent(task: Any, session: AsyncSession) -> float:
        seen.append(task)
        return await short_agent(task["question"], session)

    prompts = [[{"role": "user", "content": text}] for text in ("x", "yy")]
    fields = make(agent, to_task=lambda prompt: {"task_id": "q", "question": prompt[-1]["content"]})(prompts)
    assert seen == [{"task_id": "q", "question": "x"}, {"task_id": "q", "question": "yy"}]
    assert fields["rollout_reward"] == [1 / 8, 2 / 8]


def test_failed_episodes_are_run_again(make: Make) -> None:
    runs: dict[str, int] = {}

    async def agent(task: str, session: AsyncSession) -> float:
        runs[task] = runs.get(task, 0) + 1
        if runs[task] < len(task):
            raise KeyError("mine")
        return await short_agent(task, session)

    fields = make(agent)(["a", "bbb", "cc"])
    assert runs == {"a": 1, "bbb": 3, "cc": 2}
    assert fields["rollout_reward"] == [1 / 8, 3 / 8, 2 / 8]


def test_a_prompt_without_an_accepted_episode_is_an_error_with_its_reason(make: Make) -> None:
    async def agent(task: str, session: AsyncSession) -> float:
        if task == "b":
            raise KeyError("mine")
        return await short_agent(task, session)

    with pytest.raises(
        RolltapeError, match=r"1 of 3 prompts have no accepted episode after 2 attempts\. .*mine"
    ) as caught:
        make(agent, max_attempts=2)(["a", "b", "c"])
    assert caught.value.code == "episodes_failed"
    assert isinstance(caught.value.__cause__, KeyError)


def test_an_agent_that_makes_no_call_is_an_error(make: Make) -> None:
    with pytest.raises(RolltapeError, match=r"reward_missing: Session .* has no reward") as caught:
        make(lambda task, session: None, max_attempts=1)(["a"])
    assert caught.value.code == "episodes_failed"


async def two_conversations(task: Any, session: AsyncSession) -> float:
    await ask(session, [{"role": "user", "content": "one"}], max_tokens=1)
    await ask(session, [{"role": "user", "content": "two"}], max_tokens=8, min_tokens=8)
    return 1.0


def test_several_rows_are_refused_or_the_longest_is_taken(make: Make) -> None:
    with pytest.raises(RolltapeError, match="has 2 rows, because it branches"):
        make(two_conversations, reward_scope="session")(["a"])
    fields = make(two_conversations, reward_scope="session", several_rows="longest")(["a"])
    assert sum(fields["env_mask"][0]) > 1


def test_a_side_conversation_without_a_reward_is_left_out(make: Make) -> None:
    fields = make(two_conversations)(["a"])
    assert sum(fields["env_mask"][0]) == 8
    assert fields["rollout_reward"] == [1.0]


def test_a_reward_of_an_early_turn_is_not_lost(make: Make) -> None:
    async def agent(task: str, session: AsyncSession) -> dict[str, float]:
        messages = [{"role": "user", "content": "a"}]
        first = await complete(session, messages)
        answer = first["choices"][0]["message"]["content"] or ""
        await ask(session, [*messages, {"role": "assistant", "content": answer}, {"role": "user", "content": "b"}])
        return {first["id"]: float(task)}

    fields = make(agent, several_rows="longest")(["1", "0"])
    assert fields["rollout_reward"] == [1.0, 0.0]


def test_the_temperature_must_be_the_trainers(make: Make) -> None:
    with pytest.raises(BatchError, match=r"temperature 1, but the trainer divides its logits by 0\.9"):
        make(short_agent, temperature=0.9)(["a"])


def test_it_runs_inside_an_event_loop(make: Make) -> None:
    async def notebook() -> dict[str, Any]:
        return make(short_agent)(["a", "b"])

    assert len(asyncio.run(notebook())["rollout_reward"]) == 2


def test_an_episode_that_takes_too_long_is_run_again(make: Make) -> None:
    runs = iter(range(10))

    async def agent(task: str, session: AsyncSession) -> float:
        if next(runs) == 0:
            await asyncio.sleep(1000)
        return await short_agent(task, session)

    assert make(agent, episode_timeout=5.0)(["a"])["rollout_reward"] == [1 / 8]


class Transfer:
    """Notes its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        def call(*tensors: Any) -> None:
            self.calls.append([key for key, _ in tensors[0]] if tensors else name)

        return call


class Parameter:
    def __init__(self, requires_grad: bool = True) -> None:
        self.requires_grad = requires_grad

    def detach(self) -> Any:
        return self


class Model:
    def named_parameters(self) -> Any:
        return {
            "module.layer._checkpoint_wrapped_module.weight": Parameter(),
            "frozen": Parameter(requires_grad=False),
        }.items()


@dataclass
class State:
    global_step: int
    is_world_process_zero: bool = True


@pytest.fixture
def _transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for transformers and torch.distributed, whichever are installed."""
    transformers = ModuleType("transformers")
    transformers.TrainerCallback = type("TrainerCallback", (), {})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    torch, distributed = ModuleType("torch"), ModuleType("torch.distributed")
    distributed.is_available = lambda: False  # type: ignore[attr-defined]
    torch.distributed = distributed  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.distributed", distributed)


@pytest.mark.usefixtures("_transformers")
def test_weights_are_sent_before_the_first_step_and_after_steps() -> None:
    transfer = Transfer()
    callback = weight_sync_callback(transfer, every_n_steps=2)  # type: ignore[arg-type]
    callback.on_train_begin(None, State(0), None, model=Model())
    for step in (1, 2, 3, 4):
        callback.on_step_end(None, State(step), None, model=Model())
    callback.on_train_end(None, State(4), None)
    sent = ["pause", ["layer.weight"], "resume"]
    assert transfer.calls == ["init_weight_transfer", *sent, *sent, *sent, "destroy"]


@pytest.mark.usefixtures("_transformers")
def test_only_the_main_process_sends_but_all_gather() -> None:
    gathered: list[str] = []

    class Sharded(Parameter):
        def full_tensor(self) -> Any:
            gathered.append("gathered")
            return self

    class ShardedModel:
        def named_parameters(self) -> Any:
            return {"weight": Sharded()}.items()

    transfer = Transfer()
    callback = weight_sync_callback(transfer)  # type: ignore[arg-type]
    callback.on_step_end(None, State(1, is_world_process_zero=False), None, model=ShardedModel())
    callback.on_train_end(None, State(1, is_world_process_zero=False), None)
    assert transfer.calls == []
    assert gathered == ["gathered"]


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        make_rollout_func("http://127.0.0.1:1", "key", short_agent, max_attempts=0)
    with pytest.raises(ValueError, match="every_n_steps"):
        weight_sync_callback(Transfer(), every_n_steps=0)  # type: ignore[arg-type]
