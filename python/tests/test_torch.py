"""What needs PyTorch: tensors, masks and log probabilities."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conversations import random_sessions
from rolltape import Batch, Client, Server, advantages
from support import REPOSITORY

torch = pytest.importorskip("torch", reason="PyTorch is optional (pip install torch)")

from rolltape import attention  # noqa: E402

OPTIONS: dict[str, dict[str, Any]] = {
    "padded left": {"layout": "padded", "pad_side": "left", "pad_to_multiple_of": 16},
    "padded turns": {"layout": "padded", "style": "concat", "on_mismatch": "split", "turns": True},
    "packed": {"layout": "packed"},
    "packed turns": {"layout": "packed", "style": "concat", "on_mismatch": "split", "turns": True},
    "tree": {"layout": "tree"},
}


@pytest.fixture(scope="module")
def batches(server: Server) -> Iterator[dict[str, Batch]]:
    with Client(server.url, server.admin_key) as client:
        ids = random_sessions(client, 12, seed=31)
        yield {name: client.export_batch(ids, discount=0.5, **options) for name, options in OPTIONS.items()}


def test_tensors_share_the_memory_of_the_batch(batches: dict[str, Batch]) -> None:
    for batch in batches.values():
        tensors = batch.torch()
        assert tensors.keys() == batch.tensors.keys()
        for name, tensor in tensors.items():
            assert str(tensor.dtype) == f"torch.{batch[name].dtype}"
            assert tensor.data_ptr() == batch[name].ctypes.data
            assert torch.equal(tensor, torch.as_tensor(batch[name].copy()))


@pytest.mark.parametrize("name", ["input_ids", "logprobs"])
def test_a_nested_tensor_has_a_component_for_each_row(batches: dict[str, Batch], name: str) -> None:
    for layout, batch in batches.items():
        nested = batch.nested(name)
        expected = [batch.row_values(row, name).tolist() for row in range(len(batch))]
        assert [component.tolist() for component in nested.unbind()] == expected
        assert (nested.values().data_ptr() == batch[name].ctypes.data) == (layout != "tree")
    with pytest.raises(ValueError, match="no value for each token"):
        batches["packed"].nested("rewards")


def test_tensors_of_bytes_are_read_without_a_warning(batches: dict[str, Batch], tmp_path: Path) -> None:
    path = tmp_path / "b.safetensors"
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is optional")
    safetensors.save_file(dict(batches["packed"].tensors), path, metadata=batches["packed"].metadata)
    batch = Batch.from_bytes(path.read_bytes())
    assert torch.equal(batch.torch()["input_ids"], batches["packed"].torch()["input_ids"])


def test_tensors_outlive_a_closed_file(batches: dict[str, Batch], tmp_path: Path, client: Client) -> None:
    path = tmp_path / "b.safetensors"
    ids = random_sessions(client, 2, seed=1)
    client.export_batch_to(path, ids)
    batch = Batch.open(path)
    tensors = batch.torch()
    expected = tensors["logprobs"].clone()
    assert batch.close() is False
    assert torch.equal(tensors["logprobs"], expected)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_tensors_are_copied_to_a_gpu(batches: dict[str, Batch]) -> None:
    on_gpu = batches["packed"].torch("cuda")
    torch.cuda.synchronize()
    for name, tensor in batches["packed"].torch().items():
        assert on_gpu[name].is_cuda
        assert torch.equal(on_gpu[name].cpu(), tensor)


def visible(batch: Batch) -> Any:
    """Which tokens see which, from the rows: a token sees those before it in its row."""
    count = batch["input_ids"].size
    sees = np.zeros((count, count), bool)
    for place in batch.places.all:
        for at, token in enumerate(place):
            sees[token, place[: at + 1]] = True
    return sees


def test_the_tree_mask_shows_each_token_its_row(batches: dict[str, Batch]) -> None:
    batch = batches["tree"]
    mask = attention.tree_mask(batch)
    count = batch["input_ids"].size
    assert mask.shape == (1, 1, count, count)
    assert (mask[0, 0].numpy() == visible(batch)).all()
    mod = attention.tree_mask_mod(batch)
    every = torch.arange(count + 5)
    zero = torch.zeros((), dtype=torch.long)
    flex = mod(zero, zero, every.clamp(max=count - 1)[:, None], every[None, :])
    assert torch.equal(flex[:count, :count], mask[0, 0])
    assert not flex[:, count:].any()


def test_flex_attention_computes_what_sdpa_computes(batches: dict[str, Batch]) -> None:
    from torch.nn.attention.flex_attention import flex_attention

    batch = batches["tree"]
    torch.manual_seed(0)
    count = batch["input_ids"].size
    query, key, value = (torch.randn(1, 2, count, 16) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=attention.tree_mask(batch))
    block_mask = attention.tree_block_mask(batch, BLOCK_SIZE=32)
    assert torch.allclose(flex_attention(query, key, value, block_mask=block_mask), expected, atol=1e-5)


@pytest.mark.parametrize("kind", OPTIONS)
def test_predecessors_are_the_tokens_before_in_the_row(batches: dict[str, Batch], kind: str) -> None:
    batch = batches[kind]
    before = attention.predecessors(batch).reshape(-1)
    expected = np.full(batch["input_ids"].size, -1)
    for place in batch.places.all:
        for at in range(1, len(place)):
            expected[place[at]] = place[at - 1]
    assert (before == expected).all()


def test_variable_length_arguments(batches: dict[str, Batch]) -> None:
    arguments = attention.flash_attention_arguments(batches["packed"])
    lengths = arguments["cu_seq_lens_q"].diff()
    assert arguments["cu_seq_lens_q"].dtype == torch.int32
    assert lengths.tolist() == [row["length"] for row in batches["packed"].rows]
    assert arguments["max_length_q"] == arguments["max_length_k"] == lengths.max()
    for function, kind in [(attention.flash_attention_arguments, "tree"), (attention.tree_mask, "packed")]:
        with pytest.raises(ValueError, match="must have layout"):
            function(batches[kind])


@pytest.fixture(scope="module")
def model(server: Server) -> Any:
    pytest.importorskip("transformers", reason="transformers is optional (pip install transformers)")
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(server.ready["model_path"], dtype=torch.float32)
    model.eval()
    return model


@pytest.mark.parametrize("kind", OPTIONS)
def test_the_model_gives_the_recorded_log_probabilities(batches: dict[str, Batch], model: Any, kind: str) -> None:
    batch = batches[kind]
    logits = model(**attention.model_arguments(batch)).logits
    new = attention.token_logprobs(logits, batch)
    mask = torch.as_tensor(batch["loss_mask"]) == 1
    assert mask.sum() > 20
    assert {round(value, 1) for value in advantages.token_temperatures(batch)[mask.numpy()].tolist()} == {0.7, 1.0, 1.3}
    # The embedded engine's cache has 16 bits.
    assert (new - torch.as_tensor(batch["logprobs"]))[mask].abs().max() < 5e-3
    assert (new[~mask] == 0).all()
    new.sum().backward()
    assert any(parameter.grad is not None for parameter in model.parameters())


@pytest.mark.parametrize("kind", ["padded left", "packed", "tree"])
def test_minibatches_give_the_same_log_probabilities(batches: dict[str, Batch], model: Any, kind: str) -> None:
    batch = batches[kind]
    longest = max(np.diff(batch["cu_trees"]).max() if kind == "tree" else 0, max(row["length"] for row in batch.rows))
    parts = list(batch.minibatches(int(longest) + 20, sort=True))
    assert len(parts) > 2
    with torch.no_grad():
        for part in parts:
            new = attention.token_logprobs(model(**attention.model_arguments(part)).logits, part)
            mask = torch.as_tensor(part["loss_mask"]) == 1
            assert (new - torch.as_tensor(part["logprobs"]))[mask].abs().max() < 5e-3


def test_the_trainer_of_the_guide_makes_a_step(
    client: Client, model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import transformers

    page = (REPOSITORY / "docs" / "guides" / "training.md").read_text()
    (code,) = [block for block in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if "token_logprobs" in block]
    path = tmp_path / "batch.safetensors"
    client.export_batch_to(path, random_sessions(client, 8, seed=2, groups=1), layout="packed")
    monkeypatch.setenv("ROLLTAPE_BATCH", str(path))
    monkeypatch.setattr(transformers.AutoModelForCausalLM, "from_pretrained", lambda *_, **__: model)
    before = [parameter.detach().clone() for parameter in model.parameters()]
    names: dict[str, Any] = {}
    exec(code, names)
    assert (names["ratio"][names["tensors"]["loss_mask"] == 1] - 1).abs().max() < 5e-3
    assert any(not torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
    with torch.no_grad():
        for old, new in zip(before, model.parameters(), strict=True):
            new.copy_(old)


def with_masks(batch: Batch, vocabulary: int, counts: np.ndarray[Any, Any]) -> Batch:
    """Adds a mask of the token and the ids after it to every output, with as many ids as its count; 0: no mask."""
    ids, outputs = batch["input_ids"].reshape(-1), batch["loss_mask"].reshape(-1) == 1
    counts = np.where(outputs, counts, 0)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    kept = (np.repeat(ids, counts) + np.arange(offsets[-1]) - np.repeat(offsets[:-1], counts)) % vocabulary
    channels = [{"name": "kept_ids", "of": "output", "offsets": "kept_offsets"}]
    tensors = {**batch.tensors, "kept_ids": kept.astype(np.int32), "kept_offsets": offsets}
    return Batch(tensors, {**batch.metadata, "channels": json.dumps(channels)})


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_token_with_a_sampling_mask_is_one_of_its_ids(batches: dict[str, Batch], kind: str) -> None:
    batch, vocabulary = batches[kind], 600
    random = np.random.default_rng(3)
    masked = with_masks(batch, vocabulary, random.integers(0, 5, batch["input_ids"].size))
    flat = torch.tensor(
        random.normal(size=(batch["input_ids"].size, vocabulary)), dtype=torch.float32, requires_grad=True
    )
    new = attention.token_logprobs(flat[None], masked).reshape(-1)
    temperatures = advantages.token_temperatures(batch).reshape(-1)
    before, ids, offsets = (
        attention.predecessors(batch).reshape(-1),
        batch["input_ids"].reshape(-1),
        masked["kept_offsets"],
    )
    trained = np.flatnonzero((batch["loss_mask"].reshape(-1) == 1) & (before >= 0)).tolist()
    for token in trained:
        row = flat[before[token]] / float(temperatures[token])
        kept = masked["kept_ids"][offsets[token] : offsets[token + 1]].tolist() or list(range(vocabulary))
        expected = row[ids[token]] - row[kept].logsumexp(0)
        torch.testing.assert_close(new[token], expected, atol=2e-5, rtol=0)
    new.sum().backward()
    assert flat.grad is not None
    assert torch.isfinite(flat.grad).all()


@pytest.mark.parametrize("kind", ["padded left", "padded turns"])
def test_raw_log_probabilities_are_of_the_whole_vocabulary(batches: dict[str, Batch], kind: str) -> None:
    batch = batches[kind]
    raw = batch.code_texts("logprob_content").index("raw")
    names = [name for name in ("row_logprob_content", "turn_logprob_content") if name in batch]
    contents = {name: np.full_like(batch[name], raw) for name in names}
    masked = with_masks(Batch({**batch.tensors, **contents}, batch.metadata), 600, np.full(batch["input_ids"].size, 2))
    logits = torch.randn(batch["input_ids"].size, 600)[None]
    new = attention.token_logprobs(logits, masked)
    torch.testing.assert_close(new, attention.token_logprobs(logits, batch))


def test_logits_of_another_batch_are_refused(batches: dict[str, Batch]) -> None:
    with pytest.raises(ValueError, match="logits must be of the batch's"):
        attention.token_logprobs(torch.zeros(1, 3, 8), batches["packed"])
