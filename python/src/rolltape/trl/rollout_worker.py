"""The rollout worker of TRL's AsyncGRPOTrainer."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..advantages import grpo
from ..batch import Batch
from ..client import AsyncClient, Client
from ..errors import RolltapeError
from .metrics import Metrics
from .produce_group import TrainedRow
from .producer import Producer, repeat_tasks
from .settings import Style, WorkerSettings

if TYPE_CHECKING:
    from ..groups import Agent

_STOP_SECONDS = 60.0


@dataclass(slots=True)
class RolloutSample:
    """A row with the fields of TRL's class of this name. It is not imported, because its module is an internal of TRL.

    The tokens are arrays, because TRL 1.16 calls their methods; older versions take any sequence.
    """

    prompt: list[dict[str, str]]
    completion: list[dict[str, str]]
    input_ids: NDArray[np.int64]
    completion_mask: NDArray[np.int64]
    old_log_probs: NDArray[np.float32]
    advantage: float
    model_version: int
    group_id: int
    metrics: dict[str, float]
    enqueued_at: float


class RolloutWorker:
    """Runs an agent against a proxy in a thread of its own, and gives its rows to AsyncGRPOTrainer as `rollout_worker`.

    url, admin_key: the proxy or gateway.
    agent: called as `agent(task, session)`, as by `rolltape.run_group`; returns the reward.
    tasks: a sequence (or `datasets.Dataset`), which is repeated, or any iterable, which is used once.
    n: episodes of a group. groups: groups that run at once, so that up to n · groups episodes do.
    temperature: that of the trainer (`AsyncGRPOConfig.temperature`). Rows of calls with another one end the training.
    style: `concat` makes one row of each path of a conversation, `individual` one of each call.
    max_staleness: groups whose oldest token is more versions older than the trainer's are dropped before they are queued.
        None: the trainer alone decides (`AsyncGRPOConfig.max_staleness`).
    queue_size: rows that wait for the trainer. If the queue is full, no further group begins.
    episode_timeout: seconds that an episode may take.
    reward_scope: what the agent's reward is for: its last call, or the session.
    advantages: computes one number for each row of a group's batch. Default: `rolltape.advantages.grpo`, from what the
        agent returned for the whole episode. An episode without a reward is not trained on.
    drop_zero_variance: drop groups in which all rewards are equal. They train nothing, but fill the trainer's batches.
    min_accepted: episodes that a group needs; default 2 (1 if n is 1). A group with fewer fails, and is not trained on.
    max_failed_groups: number of failed groups in a row after which `check_health` raises the last failure.
    export: further options of the export, such as `{"discount": 0.9}`.
    tokenizer: decodes the texts of TRL's logs; without one, they are empty.
    """

    def __init__(
        self,
        url: str,
        admin_key: str,
        agent: Agent[Any],
        tasks: Iterable[Any],
        *,
        n: int = 8,
        groups: int = 8,
        temperature: float = 1.0,
        style: Style = "concat",
        max_staleness: int | None = None,
        queue_size: int = 256,
        episode_timeout: float | None = 600.0,
        reward_scope: Literal["interaction", "session"] = "interaction",
        advantages: Callable[[Batch], Any] = grpo,
        drop_zero_variance: bool = False,
        min_accepted: int | None = None,
        max_failed_groups: int = 32,
        export: Mapping[str, Any] | None = None,
        tokenizer: Any = None,
    ) -> None:
        if queue_size < 1:
            raise ValueError(f"queue_size must be at least 1; received {queue_size}.")
        self._settings = WorkerSettings(
            agent=agent,
            n=n,
            groups=groups,
            temperature=temperature,
            style=style,
            max_staleness=max_staleness,
            episode_timeout=episode_timeout,
            reward_scope=reward_scope,
            advantages=advantages,
            drop_zero_variance=drop_zero_variance,
            min_accepted=min_accepted,
            max_failed_groups=max_failed_groups,
            export=dict(export or {}),
        )
        self._address = (url, admin_key)
        self._tasks = repeat_tasks(tasks)
        self._tokenizer = tokenizer
        self._metrics = Metrics()
        self.rollout_buffer: queue.Queue[RolloutSample] = queue.Queue(queue_size)
        self.metrics_queue = self._metrics.queue
        self.model_version = 0
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._stopping = threading.Event()
        self._beat_at = 0.0
        self._error: BaseException | None = None

    def start(self) -> None:
        """Begins to produce rows. A worker is started once.

        Raises RuntimeError if it was started before.
        """
        if self._thread is not None:
            raise RuntimeError("A RolloutWorker can be started only once. Create another one for another training run.")
        self._beat_at = time.monotonic()
        self._thread = threading.Thread(target=self._run_thread, name="rolltape-rollout-worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends all episodes and deletes their sessions. Rows that wait in the queue stay there. May be repeated."""
        is_first = not self._stopping.is_set()
        # Set before the loop is checked, so that a thread that is just starting sees it.
        self._stopping.set()
        if self._thread is None:
            return
        # A second cancellation would interrupt the deletion of sessions.
        if is_first and self._loop is not None:
            # RuntimeError: the loop has ended.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join(_STOP_SECONDS)
        if self._thread.is_alive():
            # Not an error: it would hide the one that ended the training.
            warnings.warn(
                f"The rollout worker did not stop within {_STOP_SECONDS:g} seconds: an agent blocks its event loop. "
                "Its sessions exist until they expire.",
                RuntimeWarning,
                stacklevel=2,
            )

    def update_model_version(self, model_version: int) -> None:
        """Takes the trainer's version, which the proxy must have by now: its tokens carry it.

        Raises RolltapeError `version_mismatch` if the proxy has another version.
        """
        with Client(*self._address) as client:
            found = client.weights()["version"]
        if found != model_version:
            raise RolltapeError(
                "version_mismatch",
                f"The trainer's weights have version {model_version}, but the proxy has version {found}, so rows would "
                "get wrong versions. Pass rolltape.trl.WeightTransfer as `weight_transfer`, or let your own one set the "
                "proxy's version before it resumes the engine. Nobody else may set it during a training.",
            )
        self.model_version = model_version

    def check_health(self, stale_after_s: float) -> None:
        """Raises RuntimeError if no more rows will come. A long episode and a full queue are healthy.

        Its cause is the error that ended the worker. It also raises if the event loop did not run for `stale_after_s`
        seconds, because an agent blocks it.
        """
        if self._error is not None:
            raise RuntimeError(f"The rollout worker failed: {self._error}") from self._error
        if self._thread is None:
            raise RuntimeError("The rollout worker was not started.")
        if not self._thread.is_alive():
            if self.rollout_buffer.empty():
                raise RuntimeError("The rollout worker was stopped, or has no tasks left.")
            return
        age = time.monotonic() - self._beat_at
        if age > stale_after_s:
            raise RuntimeError(
                f"The event loop of the rollout worker did not run for {age:.0f} seconds: an async agent blocks it. "
                "Make it await, or make the agent a plain function, which runs in a thread."
            )

    def _run_thread(self) -> None:
        try:
            asyncio.run(self._produce())
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            # Also KeyboardInterrupt and SystemExit of an agent: check_health reports them to the trainer.
            self._error = error

    async def _produce(self) -> None:
        self._main = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._stopping.is_set():
            return
        producer = Producer(
            settings=self._settings,
            tasks=self._tasks,
            buffer=self.rollout_buffer,
            metrics=self._metrics,
            to_sample=self._to_sample,
            version=lambda: self.model_version,
            beat=self._beat,
        )
        async with AsyncClient(*self._address) as client:
            await producer.run(client)

    def _cancel(self) -> None:
        if self._main is not None:
            self._main.cancel()

    def _beat(self) -> None:
        self._beat_at = time.monotonic()

    def _to_sample(self, trained: TrainedRow, group: int) -> RolloutSample:
        row = trained.row
        prompt, completion = self._texts(row.input_ids, row.prompt_tokens)
        return RolloutSample(
            prompt=prompt,
            completion=completion,
            input_ids=np.array(row.input_ids, np.int64),
            completion_mask=np.array(row.mask, np.int64),
            old_log_probs=np.array(row.logprobs, np.float32),
            advantage=trained.advantage,
            model_version=row.version,
            group_id=group,
            metrics={"reward": row.reward, "reward_std": trained.reward_std},
            enqueued_at=time.time(),
        )

    def _texts(self, ids: list[int], prompt_tokens: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        if self._tokenizer is None:
            return [], []
        prompt, completion = ids[:prompt_tokens], ids[prompt_tokens:]
        return (
            [{"role": "user", "content": self._tokenizer.decode(prompt)}],
            [{"role": "assistant", "content": self._tokenizer.decode(completion)}],
        )
