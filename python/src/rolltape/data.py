"""The rows of a batch for `torch.utils.data.DataLoader`: packed micro-batches with a budget of tokens. Needs PyTorch.

rows = RowDataset(batch, advantages=advantages.grpo(batch))
loader = DataLoader(rows, batch_sampler=TokenSampler(rows, 16_384), collate_fn=collate)
for part in loader: …
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

from .batch.to_torch import to_torch
from .batch.token_values import token_temperatures

if TYPE_CHECKING:
    from .batch import Batch

__all__ = ["RowDataset", "TokenSampler", "collate"]

Row = dict[str, torch.Tensor]
_TOKENS = ("input_ids", "loss_mask", "logprobs", "versions")


class RowDataset(Dataset[Row]):
    """A map-style dataset of the rows of a `padded` or `packed` batch.

    A row has `input_ids`, `loss_mask`, `logprobs`, `versions` and `temperature` of its tokens, without padding, its `index`
    in the batch, its `reward`, and one value of each of `columns`. Token tensors share the memory of the batch.

    columns: further values: one for each row, or one for each token, in the shape of `input_ids`.
    """

    def __init__(self, batch: Batch, **columns: Any) -> None:
        if batch.layout == "tree":
            raise ValueError("Rows of a tree batch share tokens. Export with layout padded or packed.")
        shape = batch["input_ids"].shape
        of_tokens, of_rows = {}, {}
        for name, value in columns.items():
            array = np.asarray(value)
            # A packed batch of one token a row has as many rows as tokens.
            if array.shape == (len(batch),):
                of_rows[name] = array
            elif array.shape == shape:
                of_tokens[name] = array
            else:
                raise ValueError(f"`{name}` must have a value for each row or token; its shape is {list(array.shape)}.")
        tokens = {name: batch[name] for name in _TOKENS}
        flat = {
            name: value.reshape(-1)
            for name, value in {**tokens, "temperature": token_temperatures(batch), **of_tokens}.items()
        }
        self._tokens = to_torch(flat)
        self._rows = to_torch({"reward": batch.rewards, "index": batch.indices, **of_rows})
        self.lengths = batch.places.own
        self._bounds = list(
            zip(batch.places.begins.tolist(), (batch.places.begins + self.lengths).tolist(), strict=True)
        )

    def __len__(self) -> int:
        return len(self._bounds)

    def __getitem__(self, row: int) -> Row:
        begin, end = self._bounds[row]
        tokens = {name: value[begin:end] for name, value in self._tokens.items()}
        return {**tokens, **{name: value[row] for name, value in self._rows.items()}}


class TokenSampler(Sampler[list[int]]):
    """Yields lists of rows of at most `max_tokens` tokens each, as few as possible and about equally long.

    replicas, rank: ranks of a data-parallel trainer. Every rank gets the same number of lists, so that all take part in each
        step; together they have every row once.

    Raises ValueError if a row is longer than `max_tokens`.
    """

    def __init__(self, rows: RowDataset, max_tokens: int, *, replicas: int = 1, rank: int = 0) -> None:
        if not 0 <= rank < replicas:
            raise ValueError(f"rank must be from 0 to {replicas - 1}; received {rank}.")
        longest = int(rows.lengths.max(initial=0))
        if longest > max_tokens:
            raise ValueError(f"max_tokens must be at least {longest}, the longest row; received {max_tokens}.")
        self._lists = balance(rows.lengths.tolist(), max_tokens, replicas)[rank::replicas]

    def __len__(self) -> int:
        return len(self._lists)

    def __iter__(self) -> Iterator[list[int]]:
        return iter(self._lists)


def balance(lengths: Sequence[int], max_tokens: int, multiple_of: int = 1) -> list[list[int]]:
    """Divides rows into lists of at most `max_tokens` tokens. Their number is the smallest multiple for which this works.

    The longest row first, each to the list with the fewest tokens (R. Graham, Bounds on Multiprocessing Timing Anomalies).
    """
    order = np.argsort(-np.asarray(lengths, np.int64), kind="stable").tolist()
    count = max(-(-sum(lengths) // (max_tokens * multiple_of)), 1) * multiple_of
    while True:
        lists: list[list[int]] = [[] for _ in range(count)]
        heap = [(0, number) for number in range(count)]
        for row in order:
            tokens, number = heap[0]
            if tokens + lengths[row] > max_tokens:
                break
            lists[number].append(row)
            heapq.heapreplace(heap, (tokens + lengths[row], number))
        else:
            return [sorted(each) for each in lists]
        count += multiple_of


def collate(rows: Sequence[Mapping[str, torch.Tensor]]) -> Row:
    """Packs rows into one sequence, for `DataLoader(collate_fn=…)`.

    Values of tokens are [1, N], values of rows [B]. Adds `position_ids` int64 [1, N], from 0 in each row, `row` int64 [1, N],
    the number of each token's row, `cu_seqlens` int32 [B + 1] and `max_seqlen`. `input_ids` become int64. Models of Hugging
    Face take `input_ids` and `position_ids` with `use_cache=False`, and no attention mask.
    """
    if not rows:
        raise ValueError("There must be at least one row.")
    lengths = torch.tensor([len(row["input_ids"]) for row in rows])
    packed: Row = {}
    for name, value in rows[0].items():
        values = [row[name] for row in rows]
        packed[name] = torch.stack(values) if value.dim() == 0 else torch.cat(values)[None]
    bounds = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    row = torch.repeat_interleave(torch.arange(len(rows)), lengths)
    packed["input_ids"] = packed["input_ids"].long()
    packed["position_ids"] = (torch.arange(int(bounds[-1])) - bounds[row])[None]
    packed["row"] = row[None]
    packed["cu_seqlens"] = bounds.to(torch.int32)
    packed["max_seqlen"] = lengths.max()
    return packed
