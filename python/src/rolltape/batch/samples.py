"""The rows of a batch one by one, for trainers that have sample types of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from .images import Image
from .places import Places
from .safetensors import Array

if TYPE_CHECKING:
    from .batch import Batch, RowInfo


class Turn(NamedTuple):
    """A model call within a response.

    start, end: its output is response_ids[start:end].
    own_reward: the reward that was set for the call itself; None without one.
    finish_reason: why it ended; `length`: it reached its token limit.
    interaction: index of the call in its session.
    """

    start: int
    end: int
    own_reward: float | None
    finish_reason: str | None
    interaction: int


class Sample:
    """One row. The response begins with the first token that is trained on, so it may contain prompts of later turns.

    A sample is a view of its batch: each field is read when you use it. The arrays share the memory of the batch, but for
    prompt_ids of a `tree` batch. `.tolist()` makes plain lists of them.

    Without row tensors, `temperature` is 1, and the fields from `episode_reward` on have the values of a single row without
    rewards.
    """

    __slots__ = ("_limit", "_of", "_row")

    def __init__(self, samples: Samples, row: int, limit: int | None = None) -> None:
        self._of, self._row, self._limit = samples, row, limit

    def cut(self, max_response_tokens: int) -> Sample:
        """Returns the sample with at most `max_response_tokens` in its response, and their turns and versions.

        A response that would end within an image ends before it.
        """
        if max_response_tokens < 0:
            raise ValueError(f"max_response_tokens must be at least 0; received {max_response_tokens}.")
        limit = max_response_tokens if self._limit is None else min(self._limit, max_response_tokens)
        prompt = len(self.prompt_ids)
        for image in self._of.images(self._row):
            if image.offset < prompt + limit < image.offset + image.length:
                limit = max(0, image.offset - prompt)
        return Sample(self._of, self._row, limit)

    @property
    def prompt_ids(self) -> Array:
        """Int32: token ids before the response."""
        return self._of.prompt_ids(self._row)

    @property
    def response_ids(self) -> Array:
        """Int32: token ids from the first output token to the row's end."""
        return self._of.response("input_ids", self._row)[: self._limit]

    @property
    def response_mask(self) -> Array:
        """Int32, 1 at tokens that the model sampled and that are trained on, else 0. As long as response_ids."""
        return self._of.response("loss_mask", self._row)[: self._limit]

    @property
    def response_logprobs(self) -> Array:
        """Float32: recorded log probabilities in nats; 0 where the mask is 0."""
        return self._of.response("logprobs", self._row)[: self._limit]

    @property
    def response_versions(self) -> Array:
        """Int32: weight version of each token; -1 where the mask is 0."""
        return self._of.response("versions", self._row)[: self._limit]

    @property
    def reward(self) -> float:
        """The row's reward, after discount."""
        return float(self._of.rewards[self._row])

    @property
    def temperature(self) -> float:
        """Divisor of the logits that reproduces response_logprobs. See also `mixed_temperatures` in
        docs/reference/batch-format.md."""
        return float(self._of.value("temperature", self._row, 1.0))

    @property
    def session_id(self) -> str:
        return self._of.infos[self._row]["session_id"]

    @property
    def task_id(self) -> str:
        return self._of.infos[self._row]["task_id"]

    @property
    def group_id(self) -> str | None:
        """None without a group."""
        return self._of.infos[self._row].get("group_id")

    @property
    def interaction_id(self) -> str:
        return self._of.infos[self._row]["interaction_id"]

    @property
    def episode_reward(self) -> float:
        """Reward of the whole session, undiscounted; 0 without any reward."""
        return float(self._of.value("episode_reward", self._row, 0.0))

    @property
    def episode_return(self) -> float:
        """The same, discounted from the first turn."""
        return float(self._of.value("episode_return", self._row, 0.0))

    @property
    def session_row(self) -> int:
        """Position among the session's rows of the export, from 0."""
        return int(self._of.value("session_row", self._row, 0))

    @property
    def is_last(self) -> bool:
        """True for the last one of the session's rows."""
        return self.session_row == self._of.value("session_rows", self._row, 1) - 1

    @property
    def truncated(self) -> bool:
        """The last turn reached its token limit, or the row was cut."""
        return self._is_cut or bool(self._of.value("truncated", self._row, False))

    @property
    def finish_reason(self) -> str | None:
        """Finish reason of the row's last turn; `length` if the row was cut."""
        if self._is_cut:
            return "length"
        return self._of.finish_reason("row", self._row)

    @property
    def min_version(self) -> int:
        """Lowest weight version of the trained tokens; -1 without any."""
        if self._is_cut:
            return min(self._trained_versions, default=-1)
        return int(self._of.value("min_version", self._row, -1))

    @property
    def max_version(self) -> int:
        """Highest weight version of the trained tokens; -1 without any."""
        if self._is_cut:
            return max(self._trained_versions, default=-1)
        return int(self._of.value("max_version", self._row, -1))

    @property
    def created_at(self) -> float:
        """When the last turn completed, in seconds since the Unix epoch."""
        return float(self._of.value("created_at", self._row, 0) + self._of.value("created_at_ms", self._row, 0) / 1000)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The calls that the row trains on. Empty unless the batch was exported with `turns=True`."""
        turns = self._of.turns(self._row)
        if self._limit is None:
            return turns
        limit = self._limit
        return tuple(turn._replace(end=min(turn.end, limit)) for turn in turns if turn.start < limit)

    @property
    def _is_cut(self) -> bool:
        return self._limit is not None and self._limit < len(self._of.response("input_ids", self._row))

    @property
    def _trained_versions(self) -> list[int]:
        versions: list[int] = self.response_versions[self.response_mask == 1].tolist()
        return versions

    def token_values(self, name: str) -> Array | list[Array] | None:
        """Returns the values of a channel or token tensor for the tokens of prompt and response: [tokens, …].

        A ragged channel gives a list with one array of items for each token. None if the batch has no such tensor.
        """
        values = self._of.token_values(name, self._row)
        cut = len(self.response_ids) - len(self._of.response("input_ids", self._row))
        return values if values is None or cut == 0 else values[:cut]

    def images(self) -> list[Image]:
        """Returns the images of prompt and response, in the order of tokens. `offset` counts from the prompt's first token."""
        end = len(self.prompt_ids) + len(self.response_ids)
        return [image for image in self._of.images(self._row) if image.offset + image.length <= end]

    def as_dict(self) -> dict[str, Any]:
        """Returns all fields by name."""
        return {name: getattr(self, name) for name in FIELDS}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in FIELDS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Sample({self.session_id}, row {self.session_row}, {len(self.response_ids)} response tokens)"


FIELDS = tuple(name for name, member in vars(Sample).items() if isinstance(member, property) and name[0] != "_")


class Samples(Sequence[Sample]):
    """The rows of a batch as samples. Making it costs no loop over rows; they keep the tensors of the batch in use."""

    def __init__(self, batch: Batch) -> None:
        self._batch, self._tensors = batch, batch.tensors
        self._flat = {name: batch[name].reshape(-1) for name in ("input_ids", "loss_mask", "logprobs", "versions")}
        self._places = batch.places
        self.prompt_lengths = _prompt_lengths(batch, self._places)
        self.rewards = batch.rewards

    def __len__(self) -> int:
        return len(self.prompt_lengths)

    @overload
    def __getitem__(self, index: int) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...
    def __getitem__(self, index: int | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [Sample(self, row) for row in range(*index.indices(len(self)))]
        # range counts from the end and refuses what is outside.
        return Sample(self, range(len(self))[index])

    def __iter__(self) -> Iterator[Sample]:
        return (Sample(self, row) for row in range(len(self)))

    @cached_property
    def _bounds(self) -> Array:
        return self._batch.turn_bounds

    @cached_property
    def infos(self) -> list[RowInfo]:
        return self._batch.rows

    def prompt_ids(self, row: int) -> Array:
        ids, begins = self._rows_of_ids
        begin = begins[row]
        return ids[begin : begin + self.prompt_lengths[row]]

    @cached_property
    def _rows_of_ids(self) -> tuple[Array, Array]:
        """Token ids with all tokens of a row in one piece, and where each row begins."""
        ids = self._flat["input_ids"]
        if self._batch.layout != "tree":
            return ids, self._places.begins
        # The prompt of a node is in other nodes, which share it.
        return ids[self._places.flat], self._places.bounds

    def response(self, name: str, row: int) -> Array:
        # A response begins with an own token of the row, so all layouts have it in one piece.
        end = self._places.begins[row] + self._places.own[row]
        return self._flat[name][end - self._places.lengths[row] + self.prompt_lengths[row] : end]

    @cached_property
    def _own_images(self) -> dict[int, list[Image]]:
        """The images of each row; in a `tree` batch, those among the own tokens of each node."""
        images: dict[int, list[Image]] = {}
        for image in self._batch.images():
            images.setdefault(image.row, []).append(image)
        return images

    def images(self, row: int) -> list[Image]:
        """Returns the images among all tokens of a row."""
        own = self._own_images
        if self._batch.layout != "tree" or not own:
            return own.get(row, [])
        found: list[Image] = []
        places, parents = self._places, self._tensors["node_parents"]
        node, end = row, int(places.lengths[row])
        # From the node to its root. Each ancestor adds its images before the token from which the node below it branches.
        while node >= 0:
            shared = int(places.lengths[node] - places.own[node])
            moved = [replace(image, row=row, offset=image.offset + shared) for image in own.get(node, [])]
            found = [image for image in moved if image.offset + image.length <= end] + found
            node, end = int(parents[node]), min(end, shared)
        return found

    def token_values(self, name: str, row: int) -> Array | list[Array] | None:
        return self._batch.row_values(row, name) if name in self._tensors else None

    def value(self, column: str, row: int, otherwise: float) -> float:
        """Returns a value of a row column. otherwise: without row tensors."""
        values = self._tensors.get(f"row_{column}")
        return otherwise if values is None else float(values[row])

    def finish_reason(self, kind: str, at: int) -> str | None:
        codes = self._tensors.get(f"{kind}_finish_reason")
        return None if codes is None else self._batch.text("finish_reason", int(codes[at]))

    def turns(self, row: int) -> tuple[Turn, ...]:
        if "cu_turns" not in self._tensors:
            return ()
        first, last = self._bounds[row : row + 2].tolist()
        names = ("start", "end", "own_reward", "has_reward", "interaction")
        columns = (self._tensors[f"turn_{name}"][first:last].tolist() for name in names)
        before = int(self.prompt_lengths[row])
        return tuple(
            Turn(
                # A forced output before the first trained token is prompt.
                max(start - before, 0),
                max(end - before, 0),
                reward if has_reward else None,
                self.finish_reason("turn", first + index),
                interaction,
            )
            for index, (start, end, reward, has_reward, interaction) in enumerate(zip(*columns, strict=True))
        )


def _prompt_lengths(batch: Batch, places: Places) -> Array:
    """Returns int64 [B]: how many tokens of each row come before the first own token that is trained on."""
    mask, ends = batch["loss_mask"].reshape(-1), places.begins + places.own
    if not mask.size:
        return np.asarray(places.lengths)
    firsts = np.full(len(ends), -1)
    if "row_prompt_tokens" in batch:
        # Usually the first output is trained on. It is not if a budget forced it, or if another row trains on it.
        firsts = ends - places.lengths + batch.column("prompt_tokens")
    unknown = np.flatnonzero(
        (firsts < places.begins) | (firsts >= ends) | (mask[np.clip(firsts, 0, mask.size - 1)] == 0)
    )
    if len(unknown):
        trained = np.flatnonzero(mask)
        at = np.searchsorted(trained, places.begins[unknown])
        following = np.append(trained, mask.size)[at]
        firsts[unknown] = np.where(following < ends[unknown], following, ends[unknown])
    return np.asarray(places.lengths - ends + firsts)
