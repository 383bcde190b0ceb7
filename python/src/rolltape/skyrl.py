"""SkyRL 0.4: agents as a generator of its trainer. `docs/guides/skyrl.md` says how to plug it in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from skyrl.train.generators.base import GeneratorInput, GeneratorInterface, GeneratorOutput

from .batch import Sample
from .client import AsyncClient
from .client.options import SamplingOverride
from .episode import episode_rows, most_trained_row, trained_rows
from .experts import signed_experts
from .groups import Agent
from .per_loop import PerLoop
from .sampling_masks import padded_masks

__all__ = ["RolltapeGenerator"]

_SAMPLING = ("temperature", "top_p", "min_p", "repetition_penalty")

_log = logging.getLogger(__name__)


class RolltapeGenerator(GeneratorInterface):  # type: ignore[misc]
    """Runs an agent once for each prompt of a batch.

    agent: called with a task and the session, as by `rolltape.run_group`. The task is a dictionary: `prompt`, `env_class`, and
        the fields of `env_extras`.
    url, admin_key: a proxy in front of SkyRL's inference servers.
    step_wise: each model call is a row, as `generator.step_wise_trajectories` wants it. Otherwise an episode has one row: that
        with the most trained tokens.
    version: returns the weight version, which the proxy is told before each batch: `lambda: engine_client.weight_version`.
    timeout: seconds that an episode may take. reward_scope: as of `rolltape.run_group`.
    max_prompt_tokens: an episode with a longer prompt fails. max_response_tokens: longer responses are cut.
    processor: the processor of a model that sees images. Rows then have `pixel_values` and `image_grid_thw`. Without it,
        episodes with images fail.

    A failed episode is a row of one response token that is not trained on, with reward 0.
    """

    def __init__(
        self,
        agent: Agent[dict[str, Any]],
        *,
        url: str,
        admin_key: str,
        step_wise: bool = False,
        version: Callable[[], int] | None = None,
        timeout: float | None = None,
        reward_scope: Literal["interaction", "session"] = "interaction",
        max_prompt_tokens: int | None = None,
        max_response_tokens: int | None = None,
        processor: Any = None,
    ) -> None:
        self._agent, self._step_wise, self._version = agent, step_wise, version
        self._limits: dict[str, Any] = {
            "style": "individual" if step_wise else "concat",
            "timeout": timeout,
            "reward_scope": reward_scope,
            "max_prompt_tokens": max_prompt_tokens,
            "max_response_tokens": max_response_tokens,
        }
        self._processor = processor
        self._clients = PerLoop(lambda: AsyncClient(url, admin_key))

    async def generate(self, input_batch: GeneratorInput) -> GeneratorOutput:
        if self._version is not None:
            client = await self._clients.get()
            await client.set_version(self._version())
        episodes = await asyncio.gather(
            *(self._episode(input_batch, at) for at in range(len(input_batch["prompts"]))),
        )
        flat = [(at, row, row is rows[-1]) for at, rows in enumerate(episodes) for row in rows]
        failed = sum(rows == [None] for rows in episodes)
        ids = input_batch.get("trajectory_ids")
        failed_prompt = _failed_prompt([row for _, row, _ in flat])
        output: dict[str, Any] = {
            "prompt_token_ids": [failed_prompt if row is None else row.prompt_ids.tolist() for _, row, _ in flat],
            "response_ids": [[0] if row is None else row.response_ids.tolist() for _, row, _ in flat],
            "loss_masks": [[0] if row is None else row.response_mask.tolist() for _, row, _ in flat],
            "rollout_logprobs": [[0.0] if row is None else row.response_logprobs.tolist() for _, row, _ in flat],
            "rewards": [self._reward(row, is_last) for _, row, is_last in flat],
            "stop_reasons": [_stop_reason(row) for _, row, _ in flat],
            "trajectory_ids": None if ids is None else [ids[at] for at, _, _ in flat],
            "is_last_step": [is_last for _, _, is_last in flat] if self._step_wise else None,
            "rollout_metrics": {"rolltape/failed_episodes": failed},
            "rollout_expert_indices": _expert_indices([row for _, row, _ in flat]),
            "rollout_sample_support": _sample_support([row for _, row, _ in flat]),
            **_images([row for _, row, _ in flat], self._processor),
        }
        return output

    async def _episode(self, batch: GeneratorInput, at: int) -> list[Sample | None]:
        """Returns the rows of an episode; [None] if it failed."""
        extras, ids, metadata = batch.get("env_extras"), batch.get("trajectory_ids"), batch.get("batch_metadata")
        task = {**(extras[at] if extras else {}), "prompt": batch["prompts"][at], "env_class": batch["env_classes"][at]}
        step = None if metadata is None else metadata.global_step
        try:
            rows = await episode_rows(
                await self._clients.get(),
                self._agent,
                task,
                # A prompt comes again in later epochs.
                group_id=None if ids is None else f"step-{step}-{ids[at].instance_id}",
                task_id=None if ids is None else str(ids[at].instance_id),
                sampling_override=_override(batch.get("sampling_params") or {}),
                split="eval" if metadata is not None and metadata.training_phase == "eval" else "train",
                **self._limits,
            )
            if self._processor is None and any(row.images() for row in rows):
                raise ValueError("The episode has images: give RolltapeGenerator the `processor` of the model.")
        except Exception as error:
            _log.warning("The episode of prompt %d failed: %r", at, error)
            rows = []
        trained = trained_rows(rows)
        if not trained:
            return [None]
        return [*trained] if self._step_wise else [most_trained_row(trained)]

    def _reward(self, row: Sample | None, is_last: bool) -> float | list[float]:
        """Returns the episode's reward; step-wise: for each token, at the last token of the last row."""
        reward = 0.0 if row is None else row.episode_reward
        if not self._step_wise:
            return reward
        before = 0 if row is None else len(row.response_ids) - 1
        return [*[0.0] * before, reward if is_last else 0.0]


def _expert_indices(rows: list[Sample | None]) -> list[Any] | None:
    """Returns the experts of each row; None without any. A failed episode has a row of its own, whose token trains nothing."""
    experts = [None if row is None else signed_experts(row) for row in rows]
    shape = next((each.shape[1:] for each in experts if each is not None), None)
    if shape is None:
        return None
    return [np.zeros((1, *shape), np.uint8) if each is None else each for each in experts]


def _images(rows: list[Sample | None], processor: Any) -> dict[str, list[Any]]:
    """Returns the image tensors of each row; an empty dictionary if no row has images.

    A failed episode has the image of `_failed_prompt`, because models of Hugging Face fail on a micro-batch without images.
    """
    samples = [row for row in rows if row is not None]
    if not any(sample.images() for sample in samples):
        return {}
    # Imported here because it needs Pillow, which rows without images do not need.
    from .vision import sample_inputs

    inputs = sample_inputs(samples, processor)
    at, number = _smallest_image(samples)
    pixels, grids = inputs[at]["pixel_values"], inputs[at]["image_grid_thw"]
    begin, end = (int(grids[:count].prod(1).sum()) for count in (number, number + 1))
    failed = {"pixel_values": pixels[begin:end], "image_grid_thw": grids[number : number + 1]}
    rest = iter(inputs)
    of_rows = [failed if row is None else next(rest) for row in rows]
    return {name: [each[name] for each in of_rows] for name in failed}


def _failed_prompt(rows: list[Sample | None]) -> list[int]:
    """Returns the prompt of a failed episode: the tokens of the smallest image of the batch, or one token without images."""
    samples = [row for row in rows if row is not None]
    if not any(sample.images() for sample in samples):
        return [0]
    at, number = _smallest_image(samples)
    ids = [*samples[at].prompt_ids.tolist(), *samples[at].response_ids.tolist()]
    image = samples[at].images()[number]
    return ids[image.offset : image.offset + image.length]


def _smallest_image(samples: list[Sample]) -> tuple[int, int]:
    """Returns the place of the image with the fewest tokens: the index of its sample, and its index in the sample."""
    images = [
        (image.length, at, number) for at, sample in enumerate(samples) for number, image in enumerate(sample.images())
    ]
    _, at, number = min(images)
    return at, number


def _sample_support(rows: list[Sample | None]) -> list[Any] | None:
    """Returns the sampling masks of each row; None without any. The token of a failed episode has none."""
    masks = padded_masks([row for row in rows if row is not None])
    if not masks:
        return None
    failed = np.full((1, masks[0].shape[1]), -1, np.int32)
    rest = iter(masks)
    return [failed if row is None else next(rest) for row in rows]


def _stop_reason(row: Sample | None) -> str:
    if row is None:
        return "error"
    return "length" if row.truncated else row.finish_reason or "stop"


def _override(params: Mapping[str, Any]) -> SamplingOverride:
    """Returns the parameters of SkyRL's engine that a session can fix. Others, such as stop strings, are the agent's."""
    override: Any = {name: float(params[name]) for name in _SAMPLING if params.get(name) is not None}
    # -1 is no limit. It is set too, so that it replaces the agent's value.
    if params.get("top_k") is not None:
        override["top_k"] = int(params["top_k"])
    limit = params.get("max_tokens") or params.get("max_generate_length")
    if limit is not None:
        override["max_tokens"] = int(limit)
    result: SamplingOverride = override
    return result
