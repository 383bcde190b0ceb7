"""A batch: the tensors of many sessions, and what is known about each row."""

from __future__ import annotations

import json
import mmap
import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np

from ..errors import BatchError
from . import channels, images, minibatches, select
from .channels import Channel
from .images import Image
from .mapped_file import map_file
from .places import Places, row_places
from .safetensors import Array, invalid, read_block
from .samples import Samples
from .stored import StoredTensors, is_stored, open_stored

if TYPE_CHECKING:
    from torch import Tensor


class RowInfo(TypedDict, total=False):
    """Where a row comes from. The ids of agents and turns are absent unless the agent program sends them."""

    session_id: str
    task_id: str
    group_id: str | None
    split: Literal["train", "eval"]
    interaction_id: str
    length: int
    agent_id: str
    parent_agent_id: str
    turn_id: str


class EpisodeInfo(TypedDict):
    """A session of the export.

    reward: what the agent returned: the session's reward plus the own reward of each interaction. return: the same,
        discounted from the first turn. Both are None if nothing was rewarded.
    rows: number of rows in the whole export.
    """

    session_id: str
    group_id: str | None
    reward: float | None
    rows: int


def _require_texts(entries: Iterable[Mapping[str, object]], *names: str) -> None:
    for entry in entries:
        for name in names:
            if not isinstance(entry[name], str):
                raise ValueError(f"`{name}` must be a text; received {entry[name]!r:.100}")


class _Described:
    """Descriptions of all rows of a whole batch, parsed on first use. Batches that are selected from it share them."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def rows(self) -> list[RowInfo]:
        rows: list[RowInfo] = json.loads(self._text)
        _require_texts(rows, "session_id", "task_id", "interaction_id")
        return rows


class Batch:
    """The tensors and metadata of one batch, as docs/reference/batch-format.md describes them.

    B is the number of rows (nodes of a `tree` batch), T their padded length, N the number of tokens. Token tensors are
    [B, T] in layout `padded`, and [N] in `packed` and `tree`.

    tensors: numpy arrays by name. Those of `from_bytes` and `open` share the memory of the bytes or the file.
    metadata: texts of the file's `__metadata__`.
    indices: int64 [B]: each row's index in the batch that this one was selected from. A whole batch counts from 0.
    image_folder: the folder of the image files, if they are not in a tensor. `open` sets it to `<path>.images`.
    """

    def __init__(
        self,
        tensors: Mapping[str, Array],
        metadata: Mapping[str, str],
        *,
        indices: Array | None = None,
        described: _Described | None = None,
    ) -> None:
        """described: of the batch that this one was selected from, instead of the text `rows` of the metadata."""
        # Tensors in S3 are downloaded when they are used.
        self._tensors: Mapping[str, Array] | None = tensors if isinstance(tensors, StoredTensors) else dict(tensors)
        # As given: without the text `rows` if it is made from a list when somebody asks for it.
        self.metadata_texts = dict(metadata)
        self.described = described or _Described(metadata.get("rows", "[]"))
        self._is_part = described is not None
        self._block: Any = None
        self._path: str | None = None
        self.image_folder: Path | None = None
        for name in ("input_ids", "loss_mask", "logprobs", "versions"):
            if name not in tensors:
                raise invalid(f"it has no tensor `{name}`")
        if self.layout not in ("padded", "packed", "tree"):
            raise invalid(f"its layout is {self.metadata.get('layout')!r}, which this version does not know")
        self.indices = np.arange(len(self.rewards)) if indices is None else np.asarray(indices, np.int64)

    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Batch:
        """Reads a batch from the body of an export. The tensors share its memory.

        Raises BatchError `invalid_batch`.
        """
        tensors, metadata = _read(data)
        return cls(tensors, metadata)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Batch:
        """Maps a file. Nothing but its header is read; the tensors share the memory of the file.

        path: of a file, or an `s3://` address. Each tensor in S3 is downloaded to memory when it is used; needs `rolltape[s3]`.

        Raises BatchError `invalid_batch`, a ValueError that names the file, or OSError if the file cannot be opened. Metadata
        and tensors that contradict each other raise it when they are used.
        """
        if isinstance(path, str) and is_stored(path):
            try:
                return cls(*open_stored(path))
            except BatchError as error:
                raise _named(error, path) from None
        return cls._of_block(map_file(path), os.fspath(path))

    @classmethod
    def _of_block(cls, block: mmap.mmap | bytearray | Array, path: str) -> Batch:
        """Reads a batch from the memory of a file. `close` unmaps it, unless it is an array.

        Raises BatchError `invalid_batch`, which names the file.
        """
        try:
            tensors, metadata = _read(block)
            batch = cls(tensors, metadata)
        except BatchError as error:
            raise _named(error, path) from None
        batch._block, batch._path = block, path
        batch.image_folder = Path(f"{path}.images")
        return batch

    def close(self) -> bool:
        """Unmaps the file of `open`. The batch cannot be used afterwards.

        Returns false if arrays or tensors that share the memory are still referenced. The file then stays mapped as long
        as they exist.
        """
        self._tensors = None
        for name in ("places", "rows", "episodes", "episode_of_row", "turn_bounds", "channels"):
            self.__dict__.pop(name, None)
        block, self._block = self._block, None
        if isinstance(block, np.ndarray):
            used = weakref.ref(block)
            del block
            return used() is None
        if not isinstance(block, mmap.mmap):
            return True
        try:
            block.close()
        except BufferError:
            return False
        return True

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.indices)

    def __repr__(self) -> str:
        return f"Batch({self.layout}, {len(self)} rows)"

    @property
    def tensors(self) -> Mapping[str, Array]:
        """All tensors by name. Raises BatchError `batch_closed` after `close`."""
        if self._tensors is None:
            raise BatchError("batch_closed", "The batch was closed. Copy what you still need before closing it.")
        return self._tensors

    def __getitem__(self, name: str) -> Array:
        return self.tensors[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    @cached_property
    def metadata(self) -> dict[str, str]:
        """Texts of the file's `__metadata__`."""
        if "rows" in self.metadata_texts:
            return self.metadata_texts
        return {**self.metadata_texts, "rows": json.dumps(self.rows)}

    @property
    def layout(self) -> str:
        """`padded`, `packed` or `tree`."""
        return self.metadata_texts.get("layout", "")

    @property
    def rewards(self) -> Array:
        """Float32 [B]: the reward of each row, after discount."""
        name = "node_rewards" if self.layout == "tree" else "rewards"
        if name not in self.tensors:
            raise invalid(f"it has no tensor `{name}`")
        return self.tensors[name]

    @cached_property
    def rows(self) -> list[RowInfo]:
        """Session, task, group, interaction and length of each row."""
        with self._reading("metadata `rows`"):
            rows = self.described.rows
            if self._is_part:
                return [rows[row] for row in self.indices.tolist()]
            if len(rows) != len(self):
                raise ValueError(f"it describes {len(rows)} rows, but the batch has {len(self)}")
            return rows

    @cached_property
    def episodes(self) -> list[EpisodeInfo]:
        """All episodes of the export; of a shard, all episodes of its groups. `episode_column` has their numbers as arrays.

        Raises BatchError `batch_mismatch` if the batch was exported without row tensors.
        """
        names = ("reward", "return", "rows", "has_reward")
        columns = [self.episode_column(name).tolist() for name in names]
        with self._reading("metadata `episodes`"):
            owners = json.loads(self.metadata_texts.get("episodes", "[]"))
            _require_texts(owners, "session_id")
            episodes: list[Any] = [
                {**owner, "reward": reward if has else None, "return": discounted if has else None, "rows": rows}
                for owner, reward, discounted, rows, has in zip(owners, *columns, strict=True)
            ]
            return episodes

    @property
    def session_ids(self) -> list[str]:
        return list(map(itemgetter("session_id"), self.rows))

    @property
    def groups(self) -> list[str]:
        """The group of each row: its `group_id`. A session without a group is a group of its own."""
        return [row.get("group_id") or f"session:{row['session_id']}" for row in self.rows]

    @cached_property
    def episode_of_row(self) -> Array:
        """Int64 [B]: the index of each row's session in `episodes` and in the episode columns.

        Raises BatchError `batch_mismatch` if the batch was exported without row tensors.
        """
        episodes = self.column("episode").astype(np.int64)
        count = len(self.episode_column("rows"))
        with self._reading("tensor `row_episode`"):
            if episodes.shape != (len(self),):
                raise ValueError(f"it has shape {list(episodes.shape)}, but the batch has {len(self)} rows")
            if len(episodes) and not 0 <= episodes.min() <= episodes.max() < count:
                raise ValueError(f"there are {count} episodes; received {episodes.min()} to {episodes.max()}")
        return episodes

    @property
    def group_of_row(self) -> Array:
        """Int64 [B]: the number of each row's group, from 0 in the order of the episodes."""
        return self.episode_column("group")[self.episode_of_row].astype(np.int64)

    @property
    def discount(self) -> float:
        """The discount of rewards that the export asked for."""
        return float(self.metadata_texts.get("discount", 1))

    def column(self, name: str) -> Array:
        """Returns row column `name`, such as `temperature`: one value per row.

        Raises BatchError `batch_mismatch` if the export has no such column.
        """
        return self._column("row", name, "The export has no row tensors.")

    def episode_column(self, name: str) -> Array:
        """Returns episode column `name`: one value for each of `episodes`."""
        column, known = self._column("episode", name, "The export has no row tensors."), self["episode_has_reward"]
        with self._reading(f"tensor `episode_{name}`"):
            if column.ndim != 1 or column.shape != known.shape:
                raise ValueError(f"it has shape {list(column.shape)}, but there are {len(known)} episodes")
            if name == "group" and len(column) and not 0 <= column.min() <= column.max() < len(column):
                raise ValueError(f"groups must be from 0 to {len(column) - 1}")
        return column

    def turn_column(self, name: str) -> Array:
        """Returns turn column `name`: one value per turn. The turns of row i are `cu_turns[i]` to `cu_turns[i + 1]`."""
        return self._column("turn", name, "Export with turns=True.")

    @cached_property
    def turn_bounds(self) -> Array:
        """Int64 [B + 1]: the turns of row i are `turn_bounds[i]` to `turn_bounds[i + 1]` of the turn columns.

        Raises BatchError `batch_mismatch` if the batch was exported without turns.
        """
        count = len(self.turn_column("start"))
        with self._reading("tensor `cu_turns`"):
            bounds = self["cu_turns"].astype(np.int64)
            whole = bounds.shape == (len(self) + 1,) and bounds[0] == 0 and bounds[-1] == count
            if not whole or (bounds[1:] < bounds[:-1]).any():
                raise ValueError(f"it does not divide {count} turns into {len(self)} rows")
        return bounds

    def texts(self, name: str, *, turns: bool = False) -> list[str | None]:
        """Returns a column of codes as texts, such as `finish_reason`. None: no text, or one that is not listed."""
        codes = (self.turn_column if turns else self.column)(name)
        listed = np.array([*self.code_texts(name), None], object)
        # The last entry stands for all codes without a text.
        texts: list[str | None] = listed[np.where((codes < 0) | (codes >= len(listed)), -1, codes)].tolist()
        return texts

    def text(self, name: str, code: int) -> str | None:
        """Returns the text of a code of column `name`. None: no text, or one that is not listed."""
        listed = self.code_texts(name)
        return listed[code] if 0 <= code < len(listed) else None

    def code_texts(self, name: str) -> list[str]:
        """Returns the texts of the codes of column `name`, from code 0 on."""
        return self._codes.get(name, [])

    @cached_property
    def _codes(self) -> dict[str, list[str]]:
        with self._reading("metadata `row_codes`"):
            codes: dict[str, list[str]] = dict(json.loads(self.metadata_texts.get("row_codes", "{}")))
        return codes

    @cached_property
    def places(self) -> Places:
        """Where the tokens of each row are in the token tensors."""
        with self._reading("tensors"):
            places = row_places(self.layout, self.tensors)
            if len(places.own) != len(self):
                raise ValueError(f"they have the tokens of {len(places.own)} rows, but the batch has {len(self)}")
        return places

    @cached_property
    def tree_starts(self) -> Array:
        """Int64 [trees + 1], in layout `tree`: the first node of each tree, and the number of nodes."""
        return np.append(np.flatnonzero(self["node_parents"] < 0), len(self)).astype(np.int64)

    @cached_property
    def channels(self) -> dict[str, Channel]:
        """The channels of the batch by name."""
        with self._reading("metadata `channels`"):
            return channels.read_channels(self.metadata_texts.get("channels", "[]"))

    def row_values(self, row: int, name: str) -> Array | list[Array]:
        """Returns the values of a row's tokens in a token tensor or channel, without padding: [tokens, …].

        For a ragged channel, returns a list with one array of items for each token.
        """
        return channels.row_values(self, row, name)

    def images(self) -> list[Image]:
        """Returns the images of all rows, in the order of rows, then of tokens. Empty if no row has one.

        In layout `tree`, an image is listed once, at the node that has its tokens.
        """
        with self._reading("images"):
            return images.read_images(self)

    def samples(self) -> Samples:
        """Returns the rows as a sequence of Sample: arrays of a row's tokens, its reward and its origin."""
        return Samples(self)

    def select(self, rows: Any) -> Batch:
        """Returns a batch of these rows, as a copy. In layout `tree`, `rows` must be all nodes of some trees, in order.

        rows: indices, or a bool mask of length B.
        """
        return select.select(self, rows)

    def minibatches(self, max_tokens: int, *, sort: bool = False) -> Iterator[Batch]:
        """Splits the batch into batches of at most `max_tokens` tokens, padding included. Every row is in one of them.

        sort: put rows of similar length together, which saves padding, as copies. Otherwise rows keep their order, and token
            tensors share the memory of this batch. Layout `tree` keeps its order; its trees are not split.

        `indices` of each says which rows it has. Raises ValueError if a row (a tree) is longer than `max_tokens`.
        """
        return minibatches.minibatches(self, max_tokens, sort)

    def torch(self, device: Any = None) -> dict[str, Tensor]:
        """Returns all tensors as PyTorch tensors.

        device: None or the CPU shares the memory of this batch. For a GPU, the tensors go through page-locked memory
            and are copied asynchronously on the current stream.
        """
        from .to_torch import to_torch

        return to_torch(self.tensors, device)

    def nested(self, name: str, device: Any = None) -> Tensor:
        """Returns a token tensor as a nested tensor of PyTorch in the layout `torch.jagged`: one component for each row.

        name: a tensor with one value for each token, such as `input_ids`.
        device: as in `torch`. On the CPU, the values share the memory of this batch, except in layout `tree`, whose rows
            share tokens.
        """
        from .to_torch import to_nested

        return to_nested(self, name, device)

    @contextmanager
    def _reading(self, part: str) -> Iterator[None]:
        """Raises BatchError `invalid_batch`, with the name of the file, if a part of it is damaged."""
        try:
            yield
        except BatchError:
            raise
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            why = invalid(f"its {part} cannot be read ({type(error).__name__}: {error})")
            raise (why if self._path is None else _named(why, self._path)) from error

    def _column(self, kind: str, name: str, without_any: str) -> Array:
        """Returns a column. `without_any` says why a batch has no column of this kind."""
        column = self.tensors.get(f"{kind}_{name}")
        if column is not None:
            return column
        known = [tensor.removeprefix(f"{kind}_") for tensor in self.tensors if tensor.startswith(f"{kind}_")]
        similar = [f"Did you mean `{nearest}`?" for nearest in get_close_matches(name, known, 1)]
        advice = " ".join(similar) if known else without_any
        raise BatchError("batch_mismatch", f"The batch has no {kind} column `{name}`. {advice}".rstrip())


def _named(error: BatchError, path: str | os.PathLike[str]) -> BatchError:
    return BatchError(error.code, f"{os.fspath(path)}: {error.message}")


def _read(data: Any) -> tuple[dict[str, Array], dict[str, str]]:
    metadata, tensors = read_block(data)
    return tensors, metadata
