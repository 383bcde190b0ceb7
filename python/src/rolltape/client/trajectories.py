"""What one session recorded, as /export_trajectories answers it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .call import Reply, invalid_reply, read_object

_DTYPES: dict[str, str] = {"torch.int32": "<i4", "torch.float32": "<f4", "torch.bool": "|b1"}


@dataclass(frozen=True)
class Interaction:
    """One recorded model call. `fields` has every field of the answer except the tensors (docs/reference/http-api.md)."""

    id: str
    parent_id: str | None
    # The reward after the discount.
    reward: float
    # The reward that was set for this interaction itself; None: none was set.
    own_reward: float | None
    # The parent's tokens are a prefix of this interaction's tokens.
    token_exact: bool
    finish_reason: str
    # Untrusted text in the shape of OpenAI's chat messages; None without include_messages.
    messages: list[dict[str, Any]] | None
    output_messages: list[dict[str, Any]] | None
    fields: dict[str, Any]
    _tensors: dict[str, dict[str, Any]]

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Returns the tensors, decoded on every call.

        `input_ids`, `loss_mask`, `versions` (int32), `logprobs` (float32) and `attention_mask` (bool) have shape [1, L];
        `rewards` (float32) has shape [1].
        """
        return {name: _decode(name, tensor) for name, tensor in self._tensors.items()}


@dataclass(frozen=True)
class Trajectories:
    """The interactions of a session by id, in the order of their completion. `fields` has the rest of the answer."""

    session_id: str
    interactions: dict[str, Interaction]
    fields: dict[str, Any]


def read_trajectories(reply: Reply) -> Trajectories:
    fields = read_object(reply)
    try:
        interactions = {name: _interaction(wire) for name, wire in fields.pop("interactions").items()}
        return Trajectories(fields["session_id"], interactions, fields)
    except KeyError as error:
        raise invalid_reply(f"the trajectories have no `{error.args[0]}`") from None


def _interaction(wire: dict[str, Any]) -> Interaction:
    tensors = wire.pop("tensor_dict")
    return Interaction(
        id=wire["interaction_id"],
        parent_id=wire["parent_id"],
        reward=wire["reward"],
        own_reward=wire["own_reward"],
        token_exact=wire["token_exact"],
        finish_reason=wire["finish_reason"],
        messages=wire.get("messages"),
        output_messages=wire.get("output_message_list"),
        fields=wire,
        _tensors=tensors,
    )


def _decode(name: str, tensor: dict[str, Any]) -> NDArray[Any]:
    try:
        values = np.frombuffer(base64.b64decode(tensor["data"]), _DTYPES[tensor["dtype"]])
        return values.reshape(tensor["shape"]).copy()
    except (KeyError, ValueError) as error:
        raise invalid_reply(f"`{name}` is not a tensor: {error}") from error
