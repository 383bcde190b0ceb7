"""The rollout worker over a real server, without a trainer."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rolltape import AsyncSession, BatchError, Client, RolltapeError, Server
from rolltape.trl import RolloutWorker, rollout_worker
from trl_support import ask, complete, letter_agent, take, wait_until

Make = Callable[..., RolloutWorker]


@pytest.fixture
def make(server: Server, client: Client) -> Iterator[Make]:
    """Makes workers that are stopped at the end."""
    made: list[RolloutWorker] = []

    def make(agent: Any = letter_agent, tasks: Any = ("a", "b"), **options: Any) -> RolloutWorker:
        made.append(RolloutWorker(server.url, server.admin_key, agent, tasks, **{"n": 2, "groups": 2, **options}))
        return made[-1]

    yield make
    for each in made:
        each.stop()


async def short_agent(task: Any, session: AsyncSession) -> float:
    """Makes one call, so that its session has one row in either style."""
    answer = await ask(session, [{"role": "user", "content": f"Task {task}"}])
    return float(len(answer))


def open_sessions(client: Client) -> list[str]:
    return [each["session_id"] for state in ("active", "ended") for each in client.sessions(state)]  # type: ignore[arg-type]


def drained(metrics: queue.Queue[Any]) -> dict[str, list[Any]]:
    values: dict[str, list[Any]] = {}
    while not metrics.empty():
        for key, value in metrics.get().items():
            values.setdefault(key, []).append(value)
    return values


def test_rows_have_what_the_trainer_needs(make: Make) -> None:
    one = make(short_agent, n=3, queue_size=12)
    one.start()
    samples = take(one.rollout_buffer, 12)
    for sample in samples:
        length = len(sample.input_ids)
        assert len(sample.completion_mask) == len(sample.old_log_probs) == length
        assert set(sample.completion_mask) == {0, 1}
        assert sample.completion_mask[0] == 0
        for trained, logprob in zip(sample.completion_mask, sample.old_log_probs, strict=True):
            assert logprob < 0 if trained else logprob == 0
        assert sample.model_version == 0
    groups: dict[int, list[Any]] = {}
    for sample in samples:
        groups.setdefault(sample.group_id, []).append(sample)
    whole = [group for group in groups.values() if len(group) == 3]
    assert whole
    for group in whole:
        rewards = np.array([sample.metrics["reward"] for sample in group])
        expected = (rewards - rewards.mean()) / (rewards.std() + 1e-6) if rewards.std() > 0 else rewards * 0
        assert [sample.advantage for sample in group] == pytest.approx(expected.tolist(), abs=1e-4)
        assert group[0].metrics["reward_std"] == pytest.approx(rewards.std(), abs=1e-6)


def test_concat_joins_the_calls_of_a_conversation(make: Make) -> None:
    rows = {}
    for style in ("concat", "individual"):
        one = make(tasks=iter(["only"]), style=style, n=8, groups=1)
        one.start()
        wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]  # noqa: B023
        rows[style] = one.rollout_buffer.qsize()
    assert rows["individual"] == 16
    # Some conversations are split: what the random model writes is not always text that gives the same tokens again.
    assert 8 <= rows["concat"] < 16


def test_texts_are_decoded_for_logs(make: Make) -> None:
    class Tokenizer:
        def decode(self, ids: list[int]) -> str:
            return f"{len(ids)} tokens"

    one = make(tokenizer=Tokenizer())
    one.start()
    (sample,) = take(one.rollout_buffer, 1)
    before = sample.completion_mask.tolist().index(1)
    assert sample.prompt == [{"role": "user", "content": f"{before} tokens"}]
    assert sample.completion == [{"role": "assistant", "content": f"{len(sample.input_ids) - before} tokens"}]


def test_tasks_of_a_list_are_repeated_and_groups_numbered(make: Make) -> None:
    seen = []

    async def agent(task: str, session: AsyncSession) -> float:
        seen.append(task)
        await ask(session, [{"role": "user", "content": task}])
        return 1.0

    one = make(agent, ["a", "b", "c"], groups=1, n=2, queue_size=2)
    one.start()
    samples = take(one.rollout_buffer, 10)
    assert [sample.group_id for sample in samples] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    assert seen[:10] == ["a", "a", "b", "b", "c", "c", "a", "a", "b", "b"]
    assert all(sample.advantage == 0 for sample in samples)


def test_an_iterable_ends_and_then_no_more_rows_come(make: Make) -> None:
    one = make(short_agent, iter(["a", "b", "c"]))
    one.start()
    take(one.rollout_buffer, 5)
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    one.check_health(1.0)  # the last row is still there
    take(one.rollout_buffer, 1)
    with pytest.raises(RuntimeError, match="has no tasks left"):
        one.check_health(1.0)


def test_a_full_queue_holds_new_groups_back_and_is_healthy(make: Make, client: Client) -> None:
    started = []

    async def agent(task: Any, session: AsyncSession) -> float:
        started.append(task)
        return await short_agent(task, session)

    one = make(agent, list(range(100)), groups=1, n=2, queue_size=1)
    one.start()
    wait_until(one.rollout_buffer.full)
    beat = one._beat_at
    # The heart beats on, although nothing is produced.
    wait_until(lambda: one._beat_at > beat + 1)
    assert len(started) == 2
    one.check_health(30.0)
    take(one.rollout_buffer, 2)
    wait_until(lambda: len(started) == 4)


def test_a_long_episode_is_healthy(make: Make) -> None:
    async def agent(task: Any, session: AsyncSession) -> float:
        await asyncio.sleep(1000)
        return 0.0

    one = make(agent)
    one.start()
    beat = one._beat_at
    wait_until(lambda: one._beat_at > beat + 1)
    one.check_health(30.0)


def test_an_episode_without_a_reward_is_left_out_of_its_group(make: Make) -> None:
    rewards: Iterator[float | None] = iter([1.0, None, 0.0])

    async def agent(task: Any, session: AsyncSession) -> float | None:
        await ask(session, [{"role": "user", "content": "a"}], max_tokens=1)
        return next(rewards)

    one = make(agent, iter("a"), n=3, groups=1)
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    samples = take(one.rollout_buffer, one.rollout_buffer.qsize())
    assert sorted(sample.advantage for sample in samples) == pytest.approx([-1.0, 1.0], abs=1e-4)
    assert sum(drained(one.metrics_queue)["rollout/unrewarded_episodes_total"]) == 1


def test_a_reward_on_an_early_turn_is_the_reward_of_the_episode(make: Make) -> None:
    rewards = iter([1.0, 0.0])

    async def agent(task: Any, session: AsyncSession) -> dict[str, float]:
        messages = [{"role": "user", "content": "a"}]
        first = await complete(session, messages)
        answer = first["choices"][0]["message"]["content"] or ""
        await ask(session, [*messages, {"role": "assistant", "content": answer}, {"role": "user", "content": "b"}])
        return {first["id"]: next(rewards)}

    one = make(agent, iter("a"), n=2, groups=1)
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    samples = take(one.rollout_buffer, one.rollout_buffer.qsize())
    assert {round(sample.advantage, 3) for sample in samples} == {-1.0, 1.0}


def test_an_agent_that_blocks_the_event_loop_is_not_healthy(
    make: Make, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked, release = threading.Event(), threading.Event()

    async def agent(task: Any, session: AsyncSession) -> float:
        blocked.set()
        release.wait(120)
        return 0.0

    one = make(agent)
    one.start()
    assert blocked.wait(60)

    def is_stale() -> bool:
        try:
            one.check_health(0.5)
        except RuntimeError as error:
            return "an async agent blocks it" in str(error)
        return False

    monkeypatch.setattr(rollout_worker, "_STOP_SECONDS", 0.1)
    try:
        wait_until(is_stale)
        with pytest.warns(RuntimeWarning, match="did not stop within"):
            one.stop()
    finally:
        release.set()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    assert open_sessions(client) == []


@pytest.mark.parametrize(
    ("fields", "temperature", "code", "message"),
    [
        (
            {"temperature": 0.7},
            1.0,
            "other_temperature",
            r"at temperature 0\.7, but the trainer divides its logits by 1",
        ),
        ({"temperature": 1.0}, 0.5, "other_temperature", r"sampling_override\.temperature"),
        ({"temperature": 0}, 1.0, "greedy_rows", "was greedy"),
    ],
)
def test_rows_of_another_temperature_end_the_training(
    make: Make, fields: dict[str, Any], temperature: float, code: str, message: str
) -> None:
    async def agent(task: Any, session: AsyncSession) -> float:
        messages = [{"role": "user", "content": "a"}]
        answer = await ask(session, messages, temperature=temperature)
        # In a later turn, so that the row's own column does not show it.
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "b"}]
        answer = await ask(session, messages, **fields)
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "c"}]
        await ask(session, messages, temperature=temperature)
        return 1.0

    one = make(agent, temperature=temperature)
    one.start()
    wait_until(lambda: one._error is not None)
    with pytest.raises(RuntimeError, match=message) as caught:
        one.check_health(30.0)
    assert isinstance(caught.value.__cause__, BatchError)
    assert caught.value.__cause__.code == code
    assert one.rollout_buffer.empty()


def test_the_trainers_temperature_is_accepted(make: Make) -> None:
    async def agent(task: Any, session: AsyncSession) -> float:
        await ask(session, [{"role": "user", "content": "a"}], temperature=0.7)
        return 1.0

    one = make(agent, temperature=0.7)
    one.start()
    take(one.rollout_buffer, 4)
    one.check_health(30.0)


def test_failed_episodes_are_left_out_and_counted(make: Make, client: Client) -> None:
    runs = iter(range(1000))

    async def agent(task: Any, session: AsyncSession) -> float:
        if next(runs) % 3 == 0:
            raise KeyError("mine")
        return await short_agent(task, session)

    one = make(agent, iter(range(6)), n=3, groups=1)
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    assert one.rollout_buffer.qsize() == 12
    values = drained(one.metrics_queue)
    assert sum(values["rollout/episodes_total"]) == 18
    assert sum(values["rollout/failed_episodes_total"]) == 6
    assert sum(values["rollout/failed_episodes/KeyError_total"]) == 6
    failed, all_of_them = (sum(part) for part in zip(*values["rollout/failed_episodes_frac"], strict=True))
    assert (failed, all_of_them) == (6, 18)
    for rate in ("reward_mean", "reward_std", "prompt_tokens_mean", "trained_tokens_mean", "staleness_mean"):
        assert all(len(pair) == 2 for pair in values[f"rollout/{rate}"])
    assert open_sessions(client) == []


def test_groups_with_too_few_episodes_are_deleted_and_repeated_failures_end_the_training(
    make: Make, client: Client
) -> None:
    runs = iter(range(1000))

    async def agent(task: Any, session: AsyncSession) -> float:
        await ask(session, [{"role": "user", "content": "a"}])
        if next(runs) % 2:
            raise KeyError("mine")
        return 1.0

    one = make(agent, n=2, groups=1, max_failed_groups=3)
    one.start()
    wait_until(lambda: one._error is not None)
    with pytest.raises(RuntimeError, match=r"3 groups in a row failed\. .* 1 of 2 episodes were accepted") as caught:
        one.check_health(30.0)
    root: BaseException | None = caught.value
    while root is not None and root.__cause__ is not None:
        root = root.__cause__
    assert isinstance(root, KeyError)
    assert open_sessions(client) == []


def test_min_accepted_decides_how_many_episodes_a_group_needs(make: Make) -> None:
    runs = iter(range(1000))

    async def agent(task: Any, session: AsyncSession) -> float:
        await ask(session, [{"role": "user", "content": "a"}])
        if next(runs) % 2:
            raise KeyError("mine")
        return 1.0

    one = make(agent, iter("ab"), n=2, groups=1, min_accepted=1)
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    assert one.rollout_buffer.qsize() == 2


def test_an_agent_that_makes_no_call_is_reported(make: Make) -> None:
    one = make(lambda task, session: None, groups=1, max_failed_groups=1)
    one.start()
    wait_until(lambda: one._error is not None)
    with pytest.raises(RuntimeError, match="the agent call the model"):
        one.check_health(30.0)


def test_groups_of_equal_rewards_can_be_dropped(make: Make) -> None:
    async def agent(task: str, session: AsyncSession) -> float:
        await ask(session, [{"role": "user", "content": task}])
        return 1.0 if task == "equal" else float(len(session.session_id) and hash(session.session_id) % 1000)

    one = make(agent, iter(["equal", "other", "equal"]), n=2, groups=1, drop_zero_variance=True)
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    assert {sample.group_id for sample in take(one.rollout_buffer, one.rollout_buffer.qsize())} <= {1}
    values = drained(one.metrics_queue)
    assert sum(values["rollout/zero_variance_dropped_rows_total"]) in (4, 6)


def test_rows_carry_their_oldest_version_and_old_ones_are_dropped(make: Make, server: Server, client: Client) -> None:
    first = threading.Event()
    go_on = threading.Event()

    async def agent(task: Any, session: AsyncSession) -> float:
        messages = [{"role": "user", "content": "a"}]
        answer = await ask(session, messages, seed=2)
        first.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "b"}]
        await ask(session, messages, seed=2)
        return 1.0

    try:
        for max_staleness, kept in ((None, 1), (5, 1), (4, 0)):
            first.clear()
            go_on.clear()
            client.set_version(2)
            one = make(agent, iter("a"), n=1, groups=1, max_staleness=max_staleness)
            one.update_model_version(2)
            one.start()
            assert first.wait(60)
            client.set_version(7)
            one.update_model_version(7)
            go_on.set()
            wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]  # noqa: B023
            samples = take(one.rollout_buffer, one.rollout_buffer.qsize())
            assert [sample.model_version for sample in samples] == [2] * kept
            values = drained(one.metrics_queue)
            assert sum(values.get("rollout/stale_rows_total", [])) == 1 - kept
            assert values.get("rollout/staleness_max", []) == [5] * kept
    finally:
        client.set_version(0)


def test_a_version_that_the_proxy_does_not_have_is_refused(make: Make) -> None:
    one = make()
    with pytest.raises(RolltapeError, match=r"version_mismatch: .* have version 3, but the proxy has version 0"):
        one.update_model_version(3)
    assert one.model_version == 0


def test_stop_leaves_no_session(make: Make, client: Client) -> None:
    running = threading.Event()

    async def agent(task: Any, session: AsyncSession) -> float:
        await ask(session, [{"role": "user", "content": "a"}])
        if task == "long":
            running.set()
            await asyncio.sleep(1000)
        return 1.0

    one = make(agent, ["short", "long"], n=2, groups=3, queue_size=2)
    one.start()
    assert running.wait(60)
    one.stop()
    one.stop()
    assert open_sessions(client) == []
    with pytest.raises(RuntimeError, match="only once"):
        one.start()


def test_stop_before_start_and_health_before_start(make: Make) -> None:
    one = make()
    with pytest.raises(RuntimeError, match="was not started"):
        one.check_health(30.0)
    one.stop()
    one.start()
    wait_until(lambda: not one._thread.is_alive())  # type: ignore[union-attr]
    with pytest.raises(RuntimeError, match="was stopped"):
        one.check_health(30.0)


def test_advantages_that_are_no_numbers_are_refused(make: Make) -> None:
    one = make(short_agent, advantages=lambda batch: [float("nan")] * len(batch))
    one.start()
    wait_until(lambda: one._error is not None)
    with pytest.raises(RuntimeError, match="one finite number for each of 2 rows"):
        one.check_health(30.0)


@pytest.mark.parametrize(
    "options",
    [
        {"n": 0},
        {"groups": 0},
        {"temperature": 0},
        {"style": "tree"},
        {"queue_size": 0},
        {"max_staleness": -1},
        {"min_accepted": 3},
        {"max_failed_groups": 0},
        {"export": {"layout": "padded"}},
        {"tasks": []},
    ],
)
def test_options_that_make_no_sense_are_refused(make: Make, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        make(**options)
