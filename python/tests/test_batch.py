"""Batches of random conversations, compared with a reader that knows nothing of numpy."""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import rolltape
from conversations import random_sessions
from rolltape import Batch, Client, Sample, Server
from support import plain_tensors

LAYOUTS: list[dict[str, Any]] = [
    {"layout": "padded", "pad_side": "left", "pad_token_id": 3, "pad_to_multiple_of": 16},
    {"layout": "padded", "pad_side": "right", "style": "concat", "on_mismatch": "split", "turns": True},
    {"layout": "packed"},
    {"layout": "packed", "style": "concat", "on_mismatch": "split", "turns": True},
    {"layout": "tree"},
    {"layout": "padded", "row_tensors": False},
]


@pytest.fixture(scope="module")
def sessions(server: Server) -> Iterator[list[str]]:
    with Client(server.url, server.admin_key) as client:
        yield random_sessions(client, 14, seed=17)


def body(server: Server, sessions: list[str], options: dict[str, Any]) -> bytes:
    request = {"session_ids": sessions, "discount": 0.5, **options}
    headers = {"authorization": f"Bearer {server.admin_key}"}
    answer = httpx.post(f"{server.url}/export_batch", json=request, headers=headers, timeout=60, trust_env=False)
    assert answer.status_code == 200, answer.text
    return answer.content


@pytest.fixture(params=LAYOUTS, ids=lambda options: " ".join(map(str, options.values())))
def exported(request: pytest.FixtureRequest, server: Server, sessions: list[str]) -> bytes:
    return body(server, sessions, request.param)


def plain_rows(data: bytes) -> list[dict[str, list[Any]]]:
    """Each row's token values without padding, by the words of docs/reference/batch-format.md."""
    metadata, tensors = plain_tensors(data)
    names = ("input_ids", "loss_mask", "logprobs", "versions")
    flat = {name: tensors[name][1] for name in names}
    if metadata["layout"] == "padded":
        (rows, width), mask = tensors["attention_mask"]
        places = [[row * width + at for at in range(width) if mask[row * width + at]] for row in range(rows)]
    elif metadata["layout"] == "packed":
        bounds = tensors["cu_seqlens"][1]
        places = [list(range(begin, end)) for begin, end in zip(bounds[:-1], bounds[1:], strict=True)]
    else:
        offsets, ends, parents = (tensors[name][1] for name in ("node_offsets", "subtree_end", "node_parents"))
        places = []
        for node, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
            seen = [token for token in range(end) if token <= end - 1 < ends[token]]
            places.append(seen if begin < end else places[parents[node]][: tensors["node_lengths"][1][node]])
    return [{name: [flat[name][at] for at in place] for name in names} for place in places]


def test_every_tensor_is_what_the_file_says(exported: bytes) -> None:
    batch = Batch.from_bytes(exported)
    metadata, tensors = plain_tensors(exported)
    assert batch.metadata == metadata
    assert batch.tensors.keys() == tensors.keys()
    for name, (shape, values) in tensors.items():
        assert list(batch[name].shape) == shape
        assert batch[name].reshape(-1).tolist() == values


def test_places_lead_to_the_tokens_of_each_row(exported: bytes) -> None:
    batch = Batch.from_bytes(exported)
    expected = plain_rows(exported)
    assert len(batch) == len(expected) > 20
    for row, place in zip(expected, batch.places.all, strict=True):
        for name, values in row.items():
            assert batch[name].reshape(-1)[place].tolist() == values
    assert [len(place) for place in batch.places.all] == [row["length"] for row in batch.rows]


def test_samples_are_the_rows(exported: bytes) -> None:
    batch = Batch.from_bytes(exported)
    for index, (sample, row) in enumerate(zip(batch.samples(), plain_rows(exported), strict=True)):
        own = batch.places.own[index]
        mask = [0] * (len(row["loss_mask"]) - own) + row["loss_mask"][len(row["loss_mask"]) - own :]
        start = mask.index(1) if 1 in mask else len(mask)
        assert sample.prompt_ids.tolist() == row["input_ids"][:start]
        assert sample.response_ids.tolist() == row["input_ids"][start:]
        assert sample.response_mask.tolist() == mask[start:]
        untrained = sample.response_mask == 0
        assert not sample.response_logprobs[untrained].any()
        assert (sample.response_versions[untrained] == -1).all()
        trained = [value for value, kept in zip(row["logprobs"], mask, strict=True) if kept]
        assert sample.response_logprobs[~untrained].tolist() == trained
        if batch.layout != "tree":
            assert np.shares_memory(sample.response_ids, batch["input_ids"]) == (len(sample.response_ids) > 0)
        assert sample.reward == batch.rewards[index]
        assert sample.session_id == batch.rows[index]["session_id"]


def plain(sample: Sample) -> dict[str, Any]:
    fields = {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in sample.as_dict().items()
    }
    return fields | {"session_row": 0, "is_last": True}


def test_the_layouts_have_the_same_samples(server: Server, sessions: list[str]) -> None:
    by_layout = [
        {
            # Nodes of a tree have an order of their own.
            sample.interaction_id: plain(sample)
            for sample in Batch.from_bytes(body(server, sessions, {"layout": name})).samples()
        }
        for name in ("padded", "packed", "tree")
    ]
    assert by_layout[0] == by_layout[1] == by_layout[2]


def test_a_file_is_mapped_and_not_changed_by_writes(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "batch.safetensors"
    path.write_bytes(exported)
    batch = Batch.open(path)
    owner: Any = batch["input_ids"]
    while isinstance(owner, np.ndarray):
        owner = owner.base
    assert isinstance(owner.obj if isinstance(owner, memoryview) else owner, mmap.mmap)
    assert batch["input_ids"].flags.writeable
    batch["input_ids"][...] = 0
    assert path.read_bytes() == exported


def test_a_closed_batch_says_so_and_arrays_in_use_stay_valid(exported: bytes, tmp_path: Path) -> None:
    path = tmp_path / "batch.safetensors"
    path.write_bytes(exported)
    batch = Batch.open(path)
    del exported
    kept = batch["input_ids"]
    values = kept.tolist()
    assert batch.close() is False
    with pytest.raises(rolltape.BatchError) as closed:
        _ = batch["input_ids"]
    assert closed.value.code == "batch_closed"
    assert kept.tolist() == values
    with Batch.open(path) as again:
        assert len(again.places.all) == len(again)
    assert again.close() is True


def test_columns_and_texts(server: Server, sessions: list[str]) -> None:
    batch = Batch.from_bytes(body(server, sessions, {"turns": True, "style": "concat", "on_mismatch": "split"}))
    assert set(batch.texts("api")) == {"chat.completions"}
    assert {"length", "stop"} >= set(batch.texts("finish_reason", turns=True)) != set()
    assert None in batch.texts("cause")
    temperatures = {round(value, 1) for value in batch.turn_column("temperature").tolist()}
    assert temperatures == {0.7, 1.0, 1.3}
    plain = Batch.from_bytes(body(server, sessions, {"row_tensors": False}))
    for use in (lambda: plain.column("temperature"), lambda: plain.turn_column("reward"), lambda: plain.texts("api")):
        with pytest.raises(rolltape.BatchError) as missing:
            use()
        assert missing.value.code == "batch_mismatch"


def test_an_unknown_column_is_named_with_the_nearest_known_one(server: Server, sessions: list[str]) -> None:
    batch = Batch.from_bytes(body(server, sessions, {"turns": True, "style": "concat", "on_mismatch": "split"}))
    plain = Batch.from_bytes(body(server, sessions, {"row_tensors": False}))
    for use, message in (
        (lambda: batch.column("tempature"), "The batch has no row column `tempature`. Did you mean `temperature`?"),
        (lambda: batch.texts("finish"), "The batch has no row column `finish`. Did you mean `finish_reason`?"),
        (lambda: batch.turn_column("rewrad"), "The batch has no turn column `rewrad`. Did you mean `reward`?"),
        (lambda: batch.column("xyz"), "The batch has no row column `xyz`."),
        (lambda: plain.column("tempature"), "The batch has no row column `tempature`. The export has no row tensors."),
        (lambda: plain.turn_column("reward"), "The batch has no turn column `reward`. Export with turns=True."),
    ):
        with pytest.raises(rolltape.BatchError) as unknown:
            use()
        assert str(unknown.value) == f"batch_mismatch: {message}"


def test_an_empty_batch(client: Client) -> None:
    client.grant_capacity()
    with client.session() as session:
        pass
    for layout in ("padded", "packed", "tree"):
        batch = client.export_batch([session.session_id], layout=layout)
        assert (len(batch), list(batch.samples()), list(batch.minibatches(10))) == (0, [], [])
        assert rolltape.advantages.grpo(batch).shape == rolltape.advantages.rloo(batch).shape == (0,)
        assert len(batch.select([])) == 0


def block(header: Any, data: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "has 0 bytes"),
        (b"\xff" * 16, "header ends at byte"),
        (block(b"{"), "header is not JSON"),
        (block([]), "header is not a JSON object"),
        (block({"input_ids": {"dtype": "F16", "shape": [1], "data_offsets": [0, 2]}}, b"xx"), "unknown dtype"),
        (block({"input_ids": {"dtype": "I32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"), "does not fit"),
        (block({"input_ids": {"dtype": "I32", "shape": [-1], "data_offsets": [0, -4]}}, b"1234"), "does not fit"),
        (block({"input_ids": {"dtype": "I32", "shape": [1], "data_offsets": [-4, 0]}}, b"1234"), "does not fit"),
        (block(b'{"a": {}, "a": {}}'), "header has 'a' twice"),
        (
            block(
                {
                    name: {"dtype": "I32", "shape": [1], "data_offsets": at}
                    for name, at in (("a", [0, 4]), ("b", [2, 6]))
                },
                b"x" * 6,
            ),
            "tensors 'a' and 'b' overlap",
        ),
        (block({}), "no tensor `input_ids`"),
    ],
)
def test_data_that_is_not_a_batch_is_refused(data: bytes, why: str, tmp_path: Path) -> None:
    with pytest.raises(rolltape.BatchError, match=why) as refused:
        Batch.from_bytes(data)
    assert refused.value.code == "invalid_batch"
    path = tmp_path / "broken.safetensors"
    path.write_bytes(data)
    with pytest.raises(rolltape.BatchError, match=r"broken\.safetensors: .*" + why):
        Batch.open(path)


ROW = {"session_id": "s", "task_id": "t", "interaction_id": "i"}


def crafted(tensors: dict[str, Any], **metadata: str) -> bytes:
    """A packed batch of one row of three tokens, with some tensors or metadata replaced."""
    arrays: dict[str, Any] = {
        "input_ids": np.arange(3, dtype=np.int32),
        "loss_mask": np.ones(3, np.float32),
        "logprobs": np.zeros(3, np.float32),
        "versions": np.zeros(3, np.int32),
        "rewards": np.zeros(1, np.float32),
        "cu_seqlens": np.array([0, 3], np.int32),
        **tensors,
    }
    header: dict[str, Any] = {"__metadata__": {"layout": "packed", "rows": json.dumps([ROW]), **metadata}}
    data = b""
    for name, array in arrays.items():
        dtype = {"i": "I32", "f": "F32", "b": "BOOL"}[array.dtype.kind]
        offsets = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": offsets}
        data += array.tobytes()
    return block(header, data)


EPISODES = {"row_episode": np.zeros(1, np.int32), "episode_has_reward": np.zeros(1, bool)}
EPISODES |= {f"episode_{name}": np.zeros(1, np.int32) for name in ("group", "rows", "reward", "return")}
TURNS = {"turn_start": np.zeros(2, np.int32), "turn_end": np.ones(2, np.int32)}
NODES = {"node_rewards": np.zeros(2, np.float32), "node_offsets": np.array([0, 1, 3], np.int32)}
NODES |= {"subtree_end": np.full(3, 3, np.int32), "node_lengths": np.array([1, 3], np.int32)}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (crafted({}, rows="{"), "metadata `rows` cannot be read"),
        (crafted({}, rows="[1]"), "metadata `rows` cannot be read"),
        *(
            (crafted({}, rows=json.dumps([{**ROW, name: None}])), f"metadata `rows` cannot be read.*{name}")
            for name in ROW
        ),
        (crafted(EPISODES, episodes='[{"group_id": "g"}]'), "metadata `episodes` cannot be read"),
        (crafted(EPISODES, episodes="[]"), "metadata `episodes` cannot be read"),
        (crafted({**EPISODES, "row_episode": np.ones(1, np.int32)}), "there are 1 episodes; received 1 to 1"),
        (crafted({**EPISODES, "row_episode": np.zeros(0, np.int32)}), "it has shape \\[0\\], but the batch has 1 rows"),
        (
            crafted({**EPISODES, "episode_rows": np.zeros(2, np.int32)}),
            "it has shape \\[2\\], but there are 1 episodes",
        ),
        (crafted({**EPISODES, "episode_group": np.full(1, 2**31 - 1, np.int32)}), "groups must be from 0 to 0"),
        (crafted({**TURNS, "cu_turns": np.array([0, 3], np.int32)}), "`cu_turns` cannot be read.*does not divide 2"),
        (crafted({**TURNS, "cu_turns": np.array([[0, 2]], np.int32)}), "`cu_turns` cannot be read.*does not divide 2"),
        (crafted({**TURNS, "cu_turns": np.array([-2, 2], np.int32)}), "`cu_turns` cannot be read.*does not divide 2"),
        (crafted({"turn_start": np.zeros(2, np.int32)}), "`cu_turns` cannot be read"),
        (crafted({**EPISODES, "row_episode": np.full(1, -1, np.int32)}), "there are 1 episodes; received -1 to -1"),
        (crafted({}, rows="[]"), "describes 0 rows, but the batch has 1"),
        (crafted({}, rows="[" * 100_000), "metadata `rows` cannot be read"),
        (crafted(EPISODES, episodes="{"), "metadata `episodes` cannot be read"),
        (crafted({}, row_codes="[1]"), "metadata `row_codes` cannot be read"),
        (crafted({"cu_seqlens": np.array([0, 2**31 - 1], np.int32)}), "`cu_seqlens` does not divide 3 tokens"),
        (crafted({"cu_seqlens": np.array([0, -3], np.int32)}), "`cu_seqlens` does not divide 3 tokens"),
        (crafted({"cu_seqlens": np.zeros(0, np.int32)}), "tensors cannot be read"),
        (crafted({**NODES, "node_parents": np.array([1, 0], np.int32)}, layout="tree"), "comes before its parent"),
        (crafted({**NODES, "node_parents": np.array([-1, 5], np.int32)}, layout="tree"), "comes before its parent"),
    ],
)
def test_a_batch_whose_parts_do_not_fit_is_refused_when_it_is_used(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "crafted.safetensors"
    path.write_bytes(data)
    batch = Batch.open(path)

    def use() -> None:
        _ = (batch.places, batch.rows, batch.text("finish_reason", 0))
        if "row_episode" in batch:
            _ = (batch.group_of_row, batch.episodes)
        if "turn_start" in batch:
            _ = batch.turn_bounds

    with pytest.raises(ValueError, match=r"crafted\.safetensors: .*" + why):
        use()


def test_every_truncated_file_is_refused(server: Server, sessions: list[str]) -> None:
    data = body(server, sessions, {"layout": "packed"})
    for length in np.linspace(0, len(data) - 1, 60).astype(int):
        with pytest.raises(rolltape.BatchError):
            Batch.from_bytes(data[:length])


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(b"[" * 200_000, id="nested too deeply"),
        pytest.param(b'{"x":{"dtype":"I32","shape":[1],"data_offsets":[0,Infinity]}}', id="infinite offset"),
        pytest.param(b'{"x":{"dtype":"I32","shape":[1e400],"data_offsets":[0,4]}}', id="infinite extent"),
        pytest.param(b'{"x":{"dtype":"I32","shape":[1.5],"data_offsets":[0,4]}}', id="fractional extent"),
        pytest.param(b'{"x":{"dtype":"I32","shape":"1","data_offsets":[0,4]}}', id="extent as text"),
        pytest.param(b'{"x":{"dtype":"I32","shape":[0,%d],"data_offsets":[0,0]}}' % 2**70, id="extent of 2^70"),
        pytest.param(
            b'{"x":{"dtype":"I32","shape":[%s],"data_offsets":[0,4]}}' % b",".join([b"1"] * 100), id="100 axes"
        ),
        pytest.param(b'{"\\ud800":{"dtype":"I32"}}', id="name that is no Unicode"),
        pytest.param(b'{"__metadata__":[1]}', id="metadata as list"),
        pytest.param(b'{"__metadata__":null}', id="no metadata"),
        pytest.param(b'{"__metadata__":{"layout":5}}', id="metadata with a number"),
    ],
)
def test_a_malicious_header_is_refused(tmp_path: Path, header: bytes) -> None:
    path = tmp_path / "batch.safetensors"
    path.write_bytes(block(header, bytes(64)))
    with pytest.raises(rolltape.BatchError, match="not a batch") as refused:
        Batch.open(path)
    assert len(refused.value.message.encode()) < 1000
