"""An engine that says what a test wants, in the vocabulary of the tiny model: a callback for `rolltape.engine_bridge`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rolltape.bridge import Reply

END = "<|im_end|>"


class Vocabulary:
    """Text as ids: each byte is a token of its own, and so is each special token."""

    def __init__(self, model_path: str) -> None:
        tokenizer = json.loads((Path(model_path) / "tokenizer.json").read_text())
        self._names: dict[int, str] = {id: name for name, id in tokenizer["model"]["vocab"].items()}
        self._special: dict[int, str] = {each["id"]: each["content"] for each in tokenizer["added_tokens"]}
        self._ids = {name: id for id, name in self._names.items()}
        self.end = next(id for id, name in self._special.items() if name == END)

    def encode(self, text: str) -> list[int]:
        return [self._ids[_BYTE_NAMES[byte]] for byte in text.encode()]

    def decode(self, ids: list[int]) -> str:
        pieces = [self._special.get(id, "").encode() or _bytes_of(self._names[id]) for id in ids]
        return b"".join(pieces).decode(errors="replace")


class ScriptedEngine:
    """Answers each prompt with `script(prompt)`. `calls`: prompt ids, sampling, session and ids of the answers."""

    def __init__(self, model_path: str, script: Callable[[str], str]) -> None:
        self.vocabulary, self.script = Vocabulary(model_path), script
        self.version: Any = 0
        self.calls: list[tuple[list[int], dict[str, Any], str, list[int]]] = []

    async def __call__(self, ids: list[int], sampling: dict[str, Any], session: str) -> Reply:
        answer = [*self.vocabulary.encode(self.script(self.vocabulary.decode(ids))), self.vocabulary.end]
        sampled = answer[: sampling["max_new_tokens"]]
        self.calls.append((ids, sampling, session, sampled))
        return sampled, self.logprobs(sampled), "stop" if sampled == answer else "length", self.version

    @staticmethod
    def logprobs(ids: list[int]) -> list[float]:
        """Different for each place and each id."""
        return [-(place % 64 + 1) / 64 - id / 1024 for place, id in enumerate(ids)]


def _byte_names() -> list[str]:
    """GPT-2's name of each byte: the character itself if it is printable, otherwise one from 256 on."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(byte if byte in printable else 256 + others.index(byte)) for byte in range(256)]


_BYTE_NAMES = _byte_names()


def _bytes_of(name: str) -> bytes:
    return bytes(_BYTE_NAMES.index(character) for character in name)
