"""The images of batches."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from image_batches import BLUE, PAD, RED, image_batch, write_batch
from rolltape import Batch, BatchError
from rolltape.batch.image_files import move_images

OPTIONS: list[dict[str, Any]] = [
    {"layout": "padded", "padSide": "left", "padToMultipleOf": 16},
    {"layout": "padded"},
    {"layout": "packed"},
    {"layout": "packed", "style": "concat"},
    {"layout": "tree"},
]


@pytest.fixture(scope="module", params=range(len(OPTIONS)))
def batch(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Batch:
    return image_batch(tmp_path_factory.mktemp("images"), RED, BLUE, **OPTIONS[request.param])


def marked(batch: Batch) -> list[int]:
    """Returns the token ids that the batch marks as those of images."""
    return list(batch["input_ids"][batch["mm_token_type_ids"] == 1].tolist())


def seen(batch: Batch) -> list[tuple[str, str, list[int]]]:
    """Returns the interaction's session, the color and the token ids of each image."""
    ids = batch["input_ids"].reshape(-1)
    found = []
    for image in batch.images():
        begin = int(batch.places.begins[image.row]) + image.offset
        assert hashlib.sha256(image.data).hexdigest() == image.sha256
        color, size, media_type = {RED: ("red", (1, 1), "image/png"), BLUE: ("blue", (2, 1), "image/gif")}[
            bytes(image.data)
        ]
        assert ((image.width, image.height), image.media_type) == (size, media_type)
        found.append((batch.rows[image.row]["session_id"], color, ids[begin : begin + image.length].tolist()))
    return found


def expected(batch: Batch) -> list[tuple[str, str, list[int]]]:
    red, blue, other = ("a", "red", [PAD] * 4), ("a", "blue", [PAD] * 6), ("b", "blue", [PAD] * 6)
    once = batch.layout == "tree" or batch.metadata["style"] == "concat"
    return [red, blue, other] if once else [red, red, blue, other]


def test_images_have_their_tokens_and_files_which_share_the_memory_of_the_batch(batch: Batch) -> None:
    assert seen(batch) == expected(batch)
    assert marked(batch) == [PAD] * int(batch["image_length"].sum())
    for image in batch.images():
        assert np.shares_memory(np.frombuffer(image.data, np.uint8), batch["image_bytes"])


def test_a_selected_batch_has_the_images_of_its_rows_and_only_their_files(batch: Batch) -> None:
    rows = [row for row, info in enumerate(batch.rows) if info["session_id"] != "a"]
    selected = batch.select(rows)
    assert seen(selected) == [("b", "blue", [PAD] * 6)]
    assert marked(selected) == [PAD] * 6
    assert selected["image_bytes"].tobytes() == BLUE
    assert len(json.loads(selected.metadata["images"])) == 1
    if batch.layout != "tree":
        reordered = batch.select(rows[::-1])
        assert [image.row for image in reordered.images()] == [1]
        assert seen(reordered) == seen(selected)
    alone = batch.select(rows[1:])
    assert alone.images() == []
    assert not {"image_row", "mm_token_type_ids"} & set(alone.tensors)
    assert "images" not in alone.metadata


def test_minibatches_have_the_images_of_their_rows_and_share_the_files(batch: Batch) -> None:
    parts = list(batch.minibatches(16))
    assert len(parts) > 1
    assert [image for part in parts for image in seen(part)] == expected(batch)
    for part in parts:
        if "image_bytes" in part:
            assert np.shares_memory(part["image_bytes"], batch["image_bytes"])


@pytest.mark.parametrize("options", OPTIONS)
def test_a_sample_has_the_images_of_its_prompt_and_response(tmp_path: Path, options: dict[str, Any]) -> None:
    options = {"onMismatch": "split", **options}
    batch = image_batch(tmp_path, RED, BLUE, branches=True, **options)
    found = []
    for sample in batch.samples():
        ids = [*sample.prompt_ids.tolist(), *sample.response_ids.tolist()]
        places = [range(image.offset, image.offset + image.length) for image in sample.images()]
        assert [place for image in places for place in image] == [
            place for place, each in enumerate(ids) if each == PAD
        ]
        found.append([bytes(image.data) for image in sample.images()])
    first = [] if options.get("style") == "concat" else [[RED]]
    assert sorted(found) == sorted([*first, [RED, BLUE], [RED, BLUE], [BLUE], []])


def test_a_sample_is_cut_before_an_image_that_does_not_fit(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, BLUE, layout="packed", style="concat")
    sample = batch.samples()[0]
    assert (len(sample.prompt_ids), sample.response_ids.tolist()) == (6, [3, *[PAD] * 6, 4, 5])
    lengths = [len(sample.cut(limit).response_ids) for limit in range(10)]
    assert lengths == [0, 1, 1, 1, 1, 1, 1, 7, 8, 9]
    assert [len(sample.cut(limit).images()) for limit in (0, 6, 7, 9)] == [1, 1, 2, 2]


def test_a_batch_without_images_has_none(batch: Batch) -> None:
    tensors = {name: tensor for name, tensor in batch.tensors.items() if not name.startswith("image_")}
    assert Batch(tensors, batch.metadata).images() == []


@pytest.mark.parametrize(
    ("tensors", "metadata"),
    [
        ({"image_bytes_offsets": np.array([0, 1, 5])}, {}),
        ({"image_bytes_offsets": np.array([0, 500])}, {}),
        ({"image_length": np.zeros(1, np.int32)}, {}),
        ({"image_file": np.full(4, 2, np.int32)}, {}),
        ({"image_file": np.full(4, -1, np.int32)}, {}),
        ({"image_row": np.full(4, 4, np.int32)}, {}),
        ({}, {"images": "[]"}),
        ({}, {"images": '[{"sha256": "a"}, {"sha256": "b"}]'}),
    ],
)
def test_tensors_and_metadata_that_contradict_each_other_are_refused(
    batch: Batch, tensors: dict[str, Any], metadata: dict[str, str]
) -> None:
    damaged = Batch({**batch.tensors, **tensors}, {**batch.metadata, **metadata})
    with pytest.raises(BatchError, match="images cannot be read"):
        damaged.images()


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch whose image files are beside it."""
    return write_batch(tmp_path_factory.mktemp("files"), RED, BLUE, imageBytes="files")


def test_files_beside_a_batch_are_its_images(beside: Path) -> None:
    batch = Batch.open(beside)
    assert "image_bytes" not in batch
    assert seen(batch) == expected(batch)
    assert seen(batch.select([2])) == [("b", "blue", [PAD] * 6)]
    parts = list(batch.minibatches(16))
    assert [image for part in parts for image in seen(part)] == expected(batch)


def test_a_file_beside_a_batch_is_read_when_it_is_used_and_once(beside: Path, tmp_path: Path) -> None:
    batch = Batch.open(beside)
    batch.image_folder = tmp_path / "moved"
    images = batch.images()
    Path(f"{beside}.images").rename(batch.image_folder)
    try:
        data = images[0].data
        assert images[1].data is data
        assert bytes(data) == RED
    finally:
        batch.image_folder.rename(f"{beside}.images")


def test_images_are_moved_to_files_once(tmp_path: Path, beside: Path) -> None:
    path = write_batch(tmp_path, RED, BLUE)
    whole = Batch.from_bytes(path.read_bytes())
    move_images(path)
    moved = Batch.open(path)
    assert seen(moved) == expected(moved)
    assert moved.metadata == whole.metadata
    assert set(whole.tensors) - set(moved.tensors) == {"image_bytes_offsets", "image_bytes"}
    for name, tensor in moved.tensors.items():
        np.testing.assert_array_equal(tensor, whole[name])
    folder = Path(f"{path}.images")
    files = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert files.keys() == {file.name for file in Path(f"{beside}.images").iterdir()}
    move_images(write_batch(tmp_path, RED, BLUE))
    assert {file.name: file.stat().st_mtime_ns for file in folder.iterdir()} == files
    before = path.read_bytes()
    move_images(path)
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"red", "blue", "out", "out.images"}


def test_images_with_another_digest_are_not_moved(tmp_path: Path) -> None:
    path = write_batch(tmp_path, RED, BLUE)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(BatchError, match="does not have this SHA-256"):
        move_images(path)
    assert path.read_bytes() == data


def test_files_beside_a_batch_need_a_folder_and_their_digest(beside: Path, tmp_path: Path) -> None:
    unplaced = Batch.from_bytes(beside.read_bytes())
    with pytest.raises(BatchError, match="files beside it") as absent:
        _ = unplaced.images()[0].data
    assert absent.value.code == "image_file_missing"
    unplaced.image_folder = tmp_path
    red = tmp_path / f"{hashlib.sha256(RED).hexdigest()}.png"
    with pytest.raises(BatchError, match=f"cannot be read: .*{red.name}"):
        _ = unplaced.images()[0].data
    red.write_bytes(BLUE)
    with pytest.raises(BatchError, match=f"{red.name} was changed"):
        _ = unplaced.images()[0].data
    named = [{"sha256": "../" * 20, "media_type": "image/png"}] * 2
    strange = Batch(unplaced.tensors, {**unplaced.metadata, "images": json.dumps(named)})
    strange.image_folder = tmp_path
    with pytest.raises(BatchError, match="is not the name of an image file"):
        _ = strange.images()[0].data


def test_a_mapped_file_can_be_closed_once_its_images_are_gone(tmp_path: Path) -> None:
    mapped = Batch.open(write_batch(tmp_path, RED, BLUE))
    images = mapped.images()
    assert bytes(images[0].data) == RED
    assert not mapped.close()
    assert bytes(images[0].data) == RED
