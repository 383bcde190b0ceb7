"""The samples that prime-rl gets. It is in no registry: the type here has their fields, and no code of prime-rl."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import rolltape
from rolltape import AsyncClient, AsyncSession, Batch, Server
from token_channels import experts_of, with_experts
from two_turns import two_turns

msgspec = pytest.importorskip("msgspec", reason="msgspec is not installed")


class RoutedExperts(msgspec.Struct, array_like=True, omit_defaults=True):
    data: bytes
    shape: list[int]
    dtype: str


class TrainingSample(msgspec.Struct, array_like=True, omit_defaults=True):
    token_ids: list[int]
    mask: list[bool]
    logprobs: list[float]
    temperatures: list[float]
    env_name: str
    ref_logprobs: list[float] | None = None
    mm_kwargs: dict[str, Any] | None = None
    routed_experts: RoutedExperts | None = None
    mm_token_type_ids: list[int] | None = None
    rl_weights: list[float] | None = None
    ce_weights: list[float] | None = None
    ref_kl_weights: list[float] | None = None
    advantages: list[float] | None = None


@pytest.fixture(scope="module")
def training_samples() -> Callable[..., list[TrainingSample]]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("prime_rl", "prime_rl.transports", "prime_rl.transports.rollouts"):
            patch.setitem(sys.modules, name, ModuleType(name))
        types = ModuleType("prime_rl.transports.rollouts.types")
        types.TrainingSample = TrainingSample  # type: ignore[attr-defined]
        types.RoutedExperts = RoutedExperts  # type: ignore[attr-defined]
        patch.setitem(sys.modules, types.__name__, types)
        import rolltape.prime_rl

        return rolltape.prime_rl.training_samples


async def agent(task: str, session: AsyncSession) -> float:
    """The second turn is colder; the task `tree` has a still colder side call."""
    fields = [{"temperature": temperature} for temperature in (1, 0.5, 0.25)]
    said = await two_turns(session, [{"role": "user", "content": task}], fields, branches=task == "tree")
    return len(said) / 8 + sum(letter in "aeiou" for letter in said)


@pytest.fixture(scope="module")
def batches(server: Server) -> dict[str, Batch]:
    """The same sessions in each layout."""

    async def rollout() -> dict[str, Batch]:
        async with AsyncClient(server.url, server.admin_key) as client:
            groups = await rolltape.run_group(agent, ["one", "tree"], 2, client=client)
            sessions = [session for group in groups for session in group.session_ids]
            options: Any = {"style": "concat", "on_mismatch": "split", "shared_turns": "first", "turns": True}
            packed = await client.export_batch(sessions, layout="packed", **options)
            padded = await client.export_batch(sessions, layout="padded", pad_side="left", **options)
            return {"packed": packed, "padded": padded, "tree": await client.export_batch(sessions, layout="tree")}

    return asyncio.run(rollout())


@pytest.mark.parametrize("layout", ["packed", "padded"])
def test_a_sample_has_the_tokens_of_its_row(
    training_samples: Callable[..., list[TrainingSample]], batches: dict[str, Batch], layout: str
) -> None:
    batch = batches[layout]
    of_rows = np.arange(1, len(batch) + 1, dtype=np.float32)
    samples = training_samples(batch, of_rows, env_name="letters")
    assert len(samples) == len(batch) > 4
    for sample, row, advantage in zip(samples, batch.samples(), of_rows.tolist(), strict=True):
        before = len(row.prompt_ids)
        assert sample.env_name == "letters"
        assert sample.token_ids == [*row.prompt_ids, *row.response_ids]
        assert sample.mask == [False] * before + (row.response_mask == 1).tolist()
        assert sample.logprobs == [0.0] * before + row.response_logprobs.tolist()
        assert sample.advantages == [advantage if trained else 0.0 for trained in sample.mask]
    # The temperature is that of each turn.
    mixed = [sample for sample, row in zip(samples, batch.samples(), strict=True) if len(row.turns) == 2]
    assert mixed
    for sample in mixed:
        of_trained = [each for each, trained in zip(sample.temperatures, sample.mask, strict=True) if trained]
        assert sorted(of_trained, reverse=True) == of_trained
        assert set(of_trained) in ({1.0, 0.5}, {1.0, 0.25})
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(samples), type=list[TrainingSample]) == samples


def test_a_sample_has_the_experts_of_its_tokens(
    training_samples: Callable[..., list[TrainingSample]], batches: dict[str, Batch]
) -> None:
    batch = batches["packed"]
    assert [sample.routed_experts for sample in training_samples(batch, np.ones(len(batch)))] == [None] * len(batch)
    for sample in training_samples(with_experts(batch), np.ones(len(batch))):
        experts, ids = sample.routed_experts, sample.token_ids
        assert experts is not None
        assert (experts.shape, experts.dtype) == ([len(ids), 2, 3], "uint8")
        # The model did not run on the last token.
        assert list(experts.data) == np.array(experts_of([*ids[:-1], ids[-2]])).reshape(-1).tolist()


def test_advantages_can_be_those_of_tokens(
    training_samples: Callable[..., list[TrainingSample]], batches: dict[str, Batch]
) -> None:
    batch = batches["packed"]
    of_tokens = np.arange(batch["input_ids"].size, dtype=np.float32)
    samples = training_samples(batch, of_tokens)
    flat = [value for sample in samples for value in sample.advantages or []]
    assert flat == np.where(batch["loss_mask"] == 1, of_tokens, 0).tolist()
    with pytest.raises(ValueError, match="one value for each"):
        training_samples(batch, of_tokens[:-1])


def test_rows_without_trained_tokens_and_trees_have_no_samples(
    training_samples: Callable[..., list[TrainingSample]], batches: dict[str, Batch]
) -> None:
    batch = batches["packed"]
    mask = batch["loss_mask"].copy()
    mask[: batch["cu_seqlens"][1]] = 0
    samples = training_samples(Batch({**batch.tensors, "loss_mask": mask}, batch.metadata), np.ones(len(batch)))
    assert [sample.token_ids for sample in samples] == [
        [*row.prompt_ids, *row.response_ids] for row in list(batch.samples())[1:]
    ]
    with pytest.raises(ValueError, match="received `tree`"):
        training_samples(batches["tree"], np.ones(len(batches["tree"])))
