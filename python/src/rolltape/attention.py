"""Arguments, masks and log probabilities for models in PyTorch. Everything here needs torch.

The functions take a Batch; results are on `device` (default: the CPU). N is the number of tokens, [B, T] the shape of a
padded batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from .batch.predecessors import predecessors
from .batch.runs import run_indices
from .batch.safetensors import Array
from .batch.to_torch import to_torch
from .batch.token_values import is_raw, token_temperatures

if TYPE_CHECKING:
    from .batch import Batch

__all__ = [
    "flash_attention_arguments",
    "model_arguments",
    "predecessors",
    "token_logprobs",
    "tree_block_mask",
    "tree_mask",
    "tree_mask_mod",
]

MaskMod = Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]


def model_arguments(batch: Batch, device: Any = None) -> dict[str, Any]:
    """Returns the keyword arguments for a causal language model of Hugging Face: `model(**model_arguments(batch))`.

    padded: `input_ids`, `attention_mask`, `position_ids` [B, T], `use_cache=False`.
    packed: `input_ids`, `position_ids` [1, N], `use_cache=False`. No attention mask: with one, rows attend to each other.
    tree: `input_ids`, `position_ids` [1, N], the dense `attention_mask` of `tree_mask` [1, 1, N, N], `use_cache=False`.
        The model needs `attn_implementation="sdpa"` or "eager".

    Positions of a padded batch begin at 0 after padding on the left. Integers are int64.
    """
    ids = _integers(batch["input_ids"], device)
    if batch.layout == "padded":
        mask = batch["attention_mask"]
        positions = np.maximum(mask.cumsum(1) - 1, 0)
        return {
            "input_ids": ids,
            "attention_mask": _tensor(mask, device),
            "position_ids": _integers(positions, device),
            "use_cache": False,
        }
    positions = _integers(batch["position_ids"], device)
    arguments: dict[str, Any] = {"input_ids": ids[None], "position_ids": positions[None], "use_cache": False}
    if batch.layout == "tree":
        arguments["attention_mask"] = tree_mask(batch, device)
    return arguments


def flash_attention_arguments(batch: Batch, device: Any = None) -> dict[str, Any]:
    """Returns the arguments of variable-length attention for a packed batch, under Hugging Face's names.

    `cu_seq_lens_q`, `cu_seq_lens_k`: int32 [B + 1]. `max_length_q`, `max_length_k`: int. Pass them to
    `flash_attn_varlen_func` as `cu_seqlens_q`, `cu_seqlens_k`, `max_seqlen_q` and `max_seqlen_k`, or to a model of Hugging
    Face with `attn_implementation="flash_attention_2"` beside `model_arguments`.
    """
    _need(batch, "packed")
    seqlens = _tensor(batch["cu_seqlens"], device)
    longest = int(np.diff(batch["cu_seqlens"]).max(initial=0))
    return {"cu_seq_lens_q": seqlens, "cu_seq_lens_k": seqlens, "max_length_q": longest, "max_length_k": longest}


def tree_mask(batch: Batch, device: Any = None) -> torch.Tensor:
    """Returns bool [1, 1, N, N] for a tree batch: true where token i (third dimension) sees token j (fourth).

    Pass it as `attn_mask` to `torch.nn.functional.scaled_dot_product_attention`. It has N² bytes; for long batches use
    `tree_block_mask`.
    """
    _need(batch, "tree")
    token = torch.arange(batch["input_ids"].size, device=device)
    ends = _tensor(batch["subtree_end"], device)
    return ((token[None, :] <= token[:, None]) & (token[:, None] < ends[None, :]))[None, None]


def tree_mask_mod(batch: Batch, device: Any = None) -> MaskMod:
    """Returns the `mask_mod` of FlexAttention for a tree batch.

    Pass it to `torch.nn.attention.flex_attention.create_block_mask`, which may ask for more tokens than N, because it rounds
    up to whole blocks. Those see nothing.
    """
    _need(batch, "tree")
    ends = _tensor(batch["subtree_end"], device)
    count = len(ends)

    def mask_mod(b: torch.Tensor, h: torch.Tensor, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
        return (kv <= q) & (kv < count) & (q < ends[kv.clamp(max=count - 1)])

    return mask_mod


def tree_block_mask(batch: Batch, device: Any = None, **options: Any) -> Any:
    """Returns the BlockMask of FlexAttention for a tree batch. options: those of `create_block_mask`, as `BLOCK_SIZE`."""
    from torch.nn.attention.flex_attention import create_block_mask

    size = batch["input_ids"].size
    target = "cpu" if device is None else device
    return create_block_mask(tree_mask_mod(batch, device), None, None, size, size, device=target, **options)


def token_logprobs(logits: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Returns the log probabilities of the tokens that are trained on, under the model's logits.

    logits: [B, T, V] of a padded batch, [1, N, V] or [N, V] of a packed or tree batch: what the model returns for
        `model_arguments`.

    Returns float32 in the shape of `input_ids`; 0 where `loss_mask` is 0. The logits are divided by the recorded temperature
    of each row or turn, so `(result - logprobs).exp()` is the importance ratio. A value has a gradient.

    A token whose sampling mask is recorded (`kept_ids`) is one of the ids of its mask, as in truncated log probabilities. Rows
    or turns with raw ones are of the whole vocabulary, and so are tokens without a recorded mask.
    """
    shape = batch["input_ids"].shape
    flat = logits.reshape(-1, logits.shape[-1])
    if flat.shape[0] != batch["input_ids"].size:
        expected = f"{batch['input_ids'].size} tokens"
        raise ValueError(f"The logits must be of the batch's {expected}; received shape {list(logits.shape)}.")
    trained = np.flatnonzero((batch["loss_mask"].reshape(-1) == 1) & (predecessors(batch).reshape(-1) >= 0))
    place = _integers(trained, logits.device)
    before = _integers(predecessors(batch).reshape(-1)[trained], logits.device)
    ids = _integers(batch["input_ids"].reshape(-1)[trained], logits.device)
    temperature = _tensor(token_temperatures(batch).reshape(-1)[trained], logits.device)
    scaled = flat[before].float() / temperature[:, None]
    if "kept_ids" in batch:
        scaled = scaled.masked_fill(_left_out(batch, trained, scaled), -torch.inf)
    values = scaled.log_softmax(-1).gather(-1, ids[:, None])[:, 0]
    result = torch.zeros(flat.shape[0], dtype=torch.float32, device=logits.device)
    return result.index_put((place,), values).reshape(shape)


def _left_out(batch: Batch, trained: Array, scaled: torch.Tensor) -> torch.Tensor:
    """Returns bool in the shape of `scaled`: true at the ids that are not in the sampling mask of each trained token."""
    offsets = batch["kept_offsets"]
    begins = offsets[trained]
    counts = np.where(is_raw(batch).reshape(-1)[trained], 0, offsets[trained + 1] - begins)
    places = np.repeat(np.arange(len(trained)), counts)
    left_out = _tensor(counts > 0, scaled.device)[:, None].repeat(1, scaled.shape[-1])
    left_out[
        _integers(places, scaled.device), _integers(batch["kept_ids"][run_indices(begins, counts)], scaled.device)
    ] = False
    return left_out


def _tensor(array: Any, device: Any) -> torch.Tensor:
    return to_torch({"": np.ascontiguousarray(array)}, device)[""]


def _integers(array: Any, device: Any) -> torch.Tensor:
    return _tensor(array, device).long()


def _need(batch: Batch, layout: str) -> None:
    if batch.layout != layout:
        raise ValueError(f"The batch must have layout {layout!r}; it has {batch.layout!r}.")
