"""The routed experts of rows in the shapes that trainers take."""

from __future__ import annotations

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, Client, RolltapeError, Server
from rolltape.experts import padded_experts, routed_experts, signed_experts
from token_channels import experts_of, with_experts


@pytest.fixture(scope="module", params=["padded", "packed"])
def batch(server: Server, request: pytest.FixtureRequest) -> Batch:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 4, seed=7)
        return client.export_batch(ids, layout=request.param, style="concat", on_mismatch="split")


def test_a_row_has_those_of_all_tokens_but_the_last(batch: Batch) -> None:
    for sample in with_experts(batch).samples():
        ids = [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()]
        experts = routed_experts(sample, np.int32)
        assert experts is not None
        assert (experts.dtype, experts.tolist()) == (np.int32, experts_of(ids[:-1]))
        repeated = routed_experts(sample, repeat_last=True)
        assert repeated is not None
        assert (repeated.dtype, repeated.tolist()) == (np.uint8, experts_of([*ids[:-1], ids[-2]]))


def test_a_cut_row_has_those_of_its_tokens(batch: Batch) -> None:
    sample = max(with_experts(batch).samples(), key=lambda each: len(each.response_ids))
    cut = sample.cut(2)
    experts = routed_experts(cut)
    assert experts is not None
    assert experts.tolist() == experts_of([*cut.prompt_ids.tolist(), *cut.response_ids.tolist()][:-1])


def test_the_tensor_of_verl_is_padded_on_both_sides(batch: Batch) -> None:
    samples = with_experts(batch).samples()
    prompt = max(len(sample.prompt_ids) for sample in samples)
    response = max(len(sample.response_ids) for sample in samples)
    padded = padded_experts(samples, prompt + 3, response + 2)
    assert padded is not None
    assert (padded.dtype, padded.shape) == (np.int16, (len(samples), prompt + response + 5, 2, 3))
    for row, sample in zip(padded, samples, strict=True):
        ids = [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()]
        start = prompt + 3 - len(sample.prompt_ids)
        assert not row[:start].any()
        assert row[start : start + len(ids) - 1].tolist() == experts_of(ids[:-1])
        assert not row[start + len(ids) - 1 :].any()
    with pytest.raises(ValueError, match="room is for 1 and 1"):
        padded_experts(samples, 1, 1)


def test_a_batch_without_experts_has_none(batch: Batch) -> None:
    samples = batch.samples()
    assert routed_experts(samples[0]) is None
    assert padded_experts(samples, 10_000, 10_000) is None
    assert signed_experts(samples[0]) is None


def test_many_experts_have_a_signed_dtype(batch: Batch) -> None:
    marked = with_experts(batch)
    wide = marked["routed_experts"].astype(np.uint16) * 200
    samples = Batch({**marked.tensors, "routed_experts": wide // 100}, marked.metadata).samples()
    assert [None if each is None else each.dtype for each in map(signed_experts, samples)] == [np.int16] * len(samples)
    larger = Batch({**marked.tensors, "routed_experts": wide}, marked.metadata).samples()
    experts = [signed_experts(each) for each in larger]
    assert {each.dtype for each in experts if each is not None} <= {np.dtype(np.int16), np.dtype(np.int32)}
    assert any(each is not None and each.max() > 32767 for each in experts)


def test_a_token_without_experts_is_an_error(batch: Batch) -> None:
    marked = with_experts(batch)
    mask = marked["routed_experts_mask"].copy().reshape(-1)
    mask[marked.places.flat[1]] = False
    holed = Batch({**marked.tensors, "routed_experts_mask": mask.reshape(batch["input_ids"].shape)}, marked.metadata)
    with pytest.raises(RolltapeError, match=r"1 of \d+ tokens of a row of session .* have no routed experts") as error:
        routed_experts(holed.samples()[0])
    assert error.value.code == "experts_missing"
