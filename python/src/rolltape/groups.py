"""Runs an agent on many tasks, several times each, in this process."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from .client import AsyncClient, AsyncSession, Client
from .client.options import SamplingOverride, Split
from .errors import CapacityError, RolltapeError
from .threads import run_in_thread

Task = TypeVar("Task")
# A number rewards the last completed call (or the session), a mapping the interactions with these ids. None: no reward.
Reward = float | Mapping[str, float] | None
# Called with the task and the session. A function that is not a coroutine runs in a thread.
Agent = Callable[[Task, AsyncSession], Reward | Awaitable[Reward]]

CANCEL_SECONDS = 10.0
"""How long an episode that is cancelled may take to end."""


@dataclass
class Episode:
    """One run of the agent.

    session_id: None if no session could be started. A failed episode's session was deleted.
    reward: what the agent returned.
    error: why the episode failed; None if it was accepted. RolltapeError
        `episode_timeout` for the time limit, `agent_exit` if it called sys.exit.
    seconds: how long it took.
    """

    session_id: str | None = None
    reward: Reward = None
    error: BaseException | None = None
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        return self.error is None


@dataclass
class Group:
    """The episodes of one task. index: of the task in the list. Its sessions are waiting to be exported."""

    index: int
    group_id: str | None
    episodes: list[Episode] = field(default_factory=list)

    @property
    def session_ids(self) -> list[str]:
        """Sessions of the accepted episodes."""
        return [episode.session_id for episode in self.episodes if episode.accepted and episode.session_id is not None]

    @property
    def errors(self) -> list[BaseException]:
        return [episode.error for episode in self.episodes if episode.error is not None]


async def run_group(
    agent: Agent[Task],
    tasks: Sequence[Task],
    n: int = 1,
    *,
    client: AsyncClient,
    timeout: float | None = None,
    max_concurrency: int = 64,
    reward_scope: Literal["interaction", "session"] = "interaction",
    sampling_override: SamplingOverride | None = None,
    group_id: str | None = None,
    split: Split = "train",
    on_episode: Callable[[Group, Episode], None] | None = None,
) -> list[Group]:
    """Runs the agent `n` times on each task, and returns one group for each task, in their order.

    agent: called as `agent(task, session)`; returns the reward. It makes its model calls with `session.base_url` and
        `session.api_key`.
    timeout: seconds that an episode may take. A thread cannot be stopped, nor an agent that ignores that it is cancelled
        for 10 seconds: they run on, and their calls fail because their session is deleted.
    max_concurrency: episodes that run at once. Each requests its own slot from the proxy.
    reward_scope: what a number rewards: the last completed call, or the session as a whole.
    sampling_override: sampling parameters of each call of the sessions, instead of those of requests.
    group_id: the group of a single task, for programs that number groups themselves. By default, each has a new id.
    split: `eval` for evaluation sessions, which exports of training sessions refuse.
    on_episode: called when an episode has ended.

    A failed episode is reported in its group, not raised, and its session is deleted. If the call is cancelled (Ctrl-C), all
    its sessions are deleted, those of accepted episodes as well.

    A session id begins with the task's `task_id`, if the task is a mapping that has one.
    """
    runner = EpisodeRunner(
        agent,
        client,
        timeout,
        max_concurrency,
        reward_scope,
        sampling_override=sampling_override,
        split=split,
        on_episode=on_episode,
    )
    return await runner.run(list(enumerate(tasks)), n, group_id)


class EpisodeRunner:
    """Runs groups of episodes, at most `max_concurrency` episodes at once, however often `run` is called."""

    def __init__(
        self,
        agent: Agent[Any],
        client: AsyncClient,
        timeout: float | None,
        max_concurrency: int,
        reward_scope: str,
        *,
        sampling_override: SamplingOverride | None = None,
        split: Split = "train",
        task_id: str | None = None,
        on_episode: Callable[[Group, Episode], None] | None = None,
    ) -> None:
        """task_id: of all sessions, instead of those that the tasks have."""
        if isinstance(client, Client):
            raise TypeError("Agents need an AsyncClient; received a Client, whose calls cannot be awaited.")
        if max_concurrency < 1:
            raise ValueError(f"max_concurrency must be at least 1; received {max_concurrency}.")
        self.agent, self.client, self.timeout = agent, client, timeout
        self.max_concurrency, self.slots = max_concurrency, asyncio.Semaphore(max_concurrency)
        self.reward_scope, self.on_episode = reward_scope, on_episode
        self.sampling_override, self.split, self.task_id = sampling_override, split, task_id

    async def run(self, tasks: Sequence[tuple[int, Any]], n: int, group_id: str | None = None) -> list[Group]:
        """Runs `n` episodes of each task, which comes with its index. If it is cancelled, all their sessions are deleted.

        group_id: of the only task.
        """
        if n < 1:
            raise ValueError(f"n must be at least 1; received {n}.")
        if group_id is not None and len(tasks) != 1:
            raise ValueError(f"group_id names the group of a single task; received {len(tasks)} tasks.")
        tag = uuid.uuid4().hex[:12]
        groups = [Group(index, group_id or f"group-{tag}-{index}") for index, _ in tasks]
        episodes = [
            asyncio.ensure_future(self.episode(group, task))
            for group, (_, task) in zip(groups, tasks, strict=True)
            for _ in range(n)
        ]
        try:
            await asyncio.gather(*episodes)
        except BaseException:
            for episode in episodes:
                episode.cancel()
            # An episode deletes its own session while it is cancelled.
            await asyncio.gather(*episodes, return_exceptions=True)
            await self.delete_all(groups)
            raise
        return groups

    async def episode(self, group: Group, task: Any) -> None:
        episode = Episode()
        group.episodes.append(episode)
        async with self.slots:
            started = time.monotonic()
            try:
                episode.error = await self._in_time(episode, self._run(episode, group, task))
            finally:
                episode.seconds = time.monotonic() - started
        if self.on_episode is not None:
            self.on_episode(group, episode)

    async def delete_all(self, groups: Sequence[Group]) -> None:
        """Deletes the sessions of these groups, also those whose start was not answered."""
        group_ids = {group.group_id for group in groups}
        with contextlib.suppress(RolltapeError):
            ids = [each["session_id"] async for each in self.client.sessions() if each["group_id"] in group_ids]
            await asyncio.gather(*(self.client.delete_session(each) for each in ids), return_exceptions=True)

    async def _in_time(self, episode: Episode, running: Coroutine[Any, Any, None]) -> BaseException | None:
        """Returns why the episode failed. Raises only if the run itself is cancelled."""
        # Not wait_for: its TimeoutError could not be told from one that the agent raises.
        task = asyncio.ensure_future(running)
        try:
            await asyncio.wait({task}, timeout=self.timeout)
        finally:
            finished = task.done()
            # Read here too, in case that the wait was cancelled: asyncio reports exceptions that nobody reads.
            error = _error_of(task) if finished else await self._stop(episode, task)
        if finished:
            return error
        return RolltapeError("episode_timeout", f"The episode did not end within {self.timeout:g} seconds.")

    async def _stop(self, episode: Episode, task: asyncio.Task[None]) -> BaseException | None:
        """Cancels an episode, which then deletes its session. An agent that ignores it runs on without a session."""
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_SECONDS)
        if task.done():
            error = _error_of(task)
            # A failed episode has deleted its session. An agent that catches the cancellation ends as if nothing had happened.
            if error is not None:
                return error
        else:
            task.add_done_callback(_error_of)
        if episode.session_id is not None:
            with contextlib.suppress(RolltapeError):
                await self.client.delete_session(episode.session_id)
        return None

    async def _run(self, episode: Episode, group: Group, task: Any) -> None:
        session = await self._start(group, task)
        episode.session_id = session.session_id
        try:
            episode.reward = await self._call_agent(task, session)
            await self._reward(session, episode.reward)
            await session.end()
        except BaseException:
            # Not cancelled with the episode. If the proxy does not answer, the session is freed when it expires.
            deleting = asyncio.ensure_future(session.delete())
            with contextlib.suppress(RolltapeError):
                await asyncio.shield(deleting)
            raise

    async def _start(self, group: Group, task: Any) -> AsyncSession:
        own = task.get("task_id") if isinstance(task, Mapping) else None
        task_id = self.task_id or own or f"task-{group.index}"
        while True:
            await self.client.grant_capacity()
            try:
                return await self.client.session(
                    task_id, group.group_id, sampling_override=self.sampling_override, split=self.split
                )
            except CapacityError as error:
                # Another client took the slot.
                if error.code != "no_capacity":
                    raise
                await asyncio.sleep(error.retry_after or 1.0)

    async def _call_agent(self, task: Any, session: AsyncSession) -> Reward:
        try:
            return await self._call(task, session)
        except SystemExit as error:
            # asyncio would end the loop with it.
            raise RolltapeError("agent_exit", f"The agent ended with SystemExit({error.code!r}).") from error

    async def _call(self, task: Any, session: AsyncSession) -> Reward:
        if inspect.iscoroutinefunction(self.agent) or inspect.iscoroutinefunction(type(self.agent).__call__):
            return await cast("Awaitable[Reward]", self.agent(task, session))
        result = await run_in_thread(self.agent, task, session)
        return await result if inspect.isawaitable(result) else result

    async def _reward(self, session: AsyncSession, reward: Reward) -> None:
        if reward is None:
            return
        if isinstance(reward, Mapping):
            for interaction_id, value in reward.items():
                await session.set_reward(_to_number(value), interaction_id)
        elif self.reward_scope == "session":
            await session.set_session_reward(_to_number(reward))
        else:
            await session.set_reward(_to_number(reward))


def _error_of(task: asyncio.Task[None]) -> BaseException | None:
    """Returns what a task that has ended raised, also if it was cancelled: an agent can cancel itself."""
    try:
        return task.exception()
    except asyncio.CancelledError as error:
        return error


def _to_number(value: Any) -> float:
    # Text has no __float__, although float() accepts it.
    if hasattr(type(value), "__float__") or hasattr(type(value), "__index__"):
        return float(value)
    raise TypeError(f"A reward must be a number; received one of type {type(value).__name__}.")
