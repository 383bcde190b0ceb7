"""Converts what an agent returned to a message."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

LONGEST_TEXT = 80


class InvalidReward(Exception):
    """The agent did not return a reward. The text says what it returned."""


def encode_reward(value: Any) -> float | dict[str, float]:
    """Returns a number, or a mapping from completion ids to numbers, as JSON values.

    Scalars of numpy and torch are numbers, and so are booleans.

    :raises InvalidReward: for anything else, and for numbers that are not finite
    """
    if isinstance(value, Mapping):
        return {encode_id(key): encode_number(item, f" for {describe(key)}") for key, item in value.items()}
    return encode_number(value, "")


def encode_id(key: Any) -> str:
    if isinstance(key, str):
        return key
    raise InvalidReward(f"a dict with {describe(key)} as a key")


def encode_number(value: Any, place: str) -> float:
    # Text has no __float__, although float() accepts it.
    if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
        raise InvalidReward(describe(value) + place)
    try:
        number = float(value)
    except Exception as error:
        raise InvalidReward(f"{describe(value)}{place}, which is not one number ({error})") from error
    if not math.isfinite(number):
        raise InvalidReward(f"the number {number}{place}")
    return number


def describe(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return f"the string {value[:LONGEST_TEXT]!r}"
    if isinstance(value, (int, float)):
        return f"the number {value if abs(value) < 1e300 else 'out of range'}"
    return f"a value of type {type(value).__name__}"
