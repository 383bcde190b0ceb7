"""Folders of weights, written while the tensors arrive."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rolltape.weights.checkpoint import BaseCheckpoint, VersionFolders, shard_writer, write_checkpoint

DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8", "BOOL": "|b1"}


def read_file(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """A plain reader of safetensors, which checks what the format asks for."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert header.pop("__metadata__") == {"format": "pt"}
    tensors, end = {}, 0
    for name, spec in header.items():
        begin, after = spec["data_offsets"]
        assert begin == end, "tensors lie without gaps"
        end = after
        values = np.frombuffer(data[8 + length + begin : 8 + length + after], DTYPES[spec["dtype"]])
        tensors[name] = values.reshape(spec["shape"])
    assert len(data) == 8 + length + end
    return tensors


def read_folder(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    index = folder / "model.safetensors.index.json"
    files = ["model.safetensors"]
    if index.exists():
        weight_map = json.loads(index.read_text())["weight_map"]
        files = sorted(set(weight_map.values()))
        for name, file in weight_map.items():
            assert name in read_file(folder / file)
    assert sorted(path.name for path in folder.glob("*.safetensors")) == files
    return {name: tensor for file in files for name, tensor in read_file(folder / file).items()}


@pytest.fixture
def plain_base(tmp_path: Path) -> BaseCheckpoint:
    """A folder with a configuration alone."""
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.gguf").write_bytes(b"large")
    return BaseCheckpoint(folder)


def write(folder: Path, tensors: Any, base: BaseCheckpoint, **options: Any) -> Path:
    folder.mkdir()
    write_checkpoint(folder, tensors, base, **options)
    return folder


def random_tensors(seed: int, count: int) -> dict[str, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    tensors: dict[str, np.ndarray[Any, Any]] = {}
    for number in range(count):
        shape = tuple(rng.integers(0, 7, rng.integers(0, 4)))
        dtype = rng.choice(["<f4", "<f2", "<i8", "|b1"])
        tensors[f'layer.{number}."part"'] = np.asarray(rng.standard_normal(shape) * 10).astype(dtype)
    return tensors


@pytest.mark.parametrize("seed", range(10))
def test_tensors_are_read_as_they_were_written(plain_base: BaseCheckpoint, tmp_path: Path, seed: int) -> None:
    tensors = random_tensors(seed, 40)
    found = read_folder(
        write(tmp_path / "out", iter(tensors.items()), plain_base, max_shard_bytes=200 * (1 + 9 * seed))
    )
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert found[name].dtype == tensor.dtype
        np.testing.assert_array_equal(found[name], tensor)


def test_a_long_header_begins_another_file(
    plain_base: BaseCheckpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_writer, "HEADER_BYTES", 2000)
    tensors = random_tensors(1, 100)
    folder = write(tmp_path / "out", iter(tensors.items()), plain_base)
    assert len(list(folder.glob("*.safetensors"))) > 3
    assert read_folder(folder).keys() == tensors.keys()


def test_one_tensor_is_taken_at_a_time(plain_base: BaseCheckpoint, tmp_path: Path) -> None:
    folder = tmp_path / "out"

    def tensors() -> Iterator[tuple[str, Any]]:
        for number in range(5):
            yield f"tensor.{number}", np.full(1_000_000, number, np.float32)
            # What was given out before is in the file, but for the buffer of the file object.
            assert sum(path.stat().st_size for path in folder.iterdir()) >= 4_000_000 * (number + 1) - 1_000_000

    read_folder(write(folder, tensors(), plain_base))


def test_configuration_and_tokenizer_are_copied_but_no_weights(plain_base: BaseCheckpoint, tmp_path: Path) -> None:
    folder = write(tmp_path / "out", iter([("a", np.zeros(1, np.float32))]), plain_base)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors", "tokenizer.json"]


def base_with_weights(tmp_path: Path, names: list[str], **config: Any) -> BaseCheckpoint:
    plain, full = tmp_path / "plain", tmp_path / "full"
    plain.mkdir()
    (plain / "config.json").write_text(json.dumps(config))
    tensors = {name: np.full((2, 3), number, np.float32) for number, name in enumerate(names)}
    return BaseCheckpoint(write(full, iter(tensors.items()), BaseCheckpoint(plain), max_shard_bytes=30))


def test_frozen_weights_come_from_the_base(tmp_path: Path) -> None:
    base = base_with_weights(tmp_path, ["a", "b", "c"])
    new = np.full((2, 3), 9, np.float32)
    found = read_folder(write(tmp_path / "out", iter([("b", new)]), base))
    assert {name: tensor[0, 0] for name, tensor in found.items()} == {"a": 0, "b": 9, "c": 2}


def test_an_old_copy_of_a_tied_output_matrix_is_left_out(tmp_path: Path) -> None:
    names = ["model.embed_tokens.weight", "lm_head.weight"]
    base = base_with_weights(tmp_path, names, text_config={"tie_word_embeddings": True})
    found = read_folder(write(tmp_path / "out", iter([(names[0], np.zeros((2, 3), np.float32))]), base))
    assert list(found) == names[:1]


def test_a_name_that_the_base_does_not_have_is_refused(tmp_path: Path) -> None:
    base = base_with_weights(tmp_path, ["a"])
    with pytest.raises(ValueError, match=r"sends tensor base_model\.a, but .* Pass `convert`"):
        write(tmp_path / "out", iter([("base_model.a", np.zeros(1))]), base)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ([], "no parameter of the model is trained"),
        ([("a", np.zeros(1)), ("a", np.zeros(1))], "sends tensor a twice"),
    ],
)
def test_no_tensor_and_a_second_one_of_a_name_are_refused(
    plain_base: BaseCheckpoint, tmp_path: Path, tensors: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        write(tmp_path / "out", iter(tensors), plain_base)


def test_other_types_are_refused(plain_base: BaseCheckpoint, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="dtype complex128"):
        write(tmp_path / "out", iter([("a", np.zeros(1, complex))]), plain_base)


def test_a_folder_without_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="snapshot_download"):
        BaseCheckpoint(tmp_path)


def test_pytorch_tensors_are_written_in_their_type_or_another(plain_base: BaseCheckpoint, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    values = torch.randn(4, 3)
    tensors = {
        "plain": values,
        "transposed": values.T,
        "half": values.to(torch.float16),
        "brain": values.to(torch.bfloat16),
        "number": torch.tensor(3),
        "parameter": torch.nn.Parameter(values),
    }
    for dtype, of_plain in ((None, torch.float32), ("bfloat16", torch.bfloat16)):
        folder = write(tmp_path / f"out-{dtype}", iter(tensors.items()), plain_base, dtype=dtype)
        safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed")
        found = safetensors.load_file(folder / "model.safetensors")
        assert found.keys() == tensors.keys()
        assert found["plain"].dtype == of_plain
        assert found["number"].dtype == torch.int64
        for name, tensor in tensors.items():
            assert found[name].shape == tensor.shape
            assert torch.equal(found[name], tensor.detach().to(found[name].dtype))


def test_a_folder_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    folders = VersionFolders(tmp_path / "weights", keep=2)

    def fill(folder: Path) -> None:
        assert [path.name.startswith(".") for path in folder.parent.iterdir()] == [True]
        (folder / "file").write_text("complete")

    folder = folders.write(3, fill)
    assert folder.name.startswith("version-000003-")
    assert (folder / "file").read_text() == "complete"
    assert list(folder.parent.iterdir()) == [folder]


def test_a_folder_that_fails_leaves_nothing(tmp_path: Path) -> None:
    folders = VersionFolders(tmp_path, keep=2)
    with pytest.raises(KeyError):
        folders.write(1, lambda folder: {}["missing"])
    assert list(tmp_path.iterdir()) == []


def test_the_last_folders_are_kept_and_those_of_other_runs(tmp_path: Path) -> None:
    earlier = VersionFolders(tmp_path, keep=1).write(1, lambda folder: None)
    folders = VersionFolders(tmp_path, keep=2)
    written = [folders.write(version, lambda folder: None) for version in range(1, 5)]
    folders.remove_old()
    assert set(tmp_path.iterdir()) == {earlier, *written[-2:]}
    # The same version gets another path: a proxy does not load the same path twice.
    assert folders.write(4, lambda folder: None) != written[-1]
