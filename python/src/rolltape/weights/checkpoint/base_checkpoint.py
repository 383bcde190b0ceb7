"""The folder of the model that is trained: its configuration, and weights that the trainer does not send."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_WEIGHTS = (".safetensors", ".bin", ".gguf", ".pt", ".pth", ".h5", ".msgpack", ".onnx", ".index.json")


@dataclass(frozen=True)
class StoredTensor:
    """A tensor of a safetensors file."""

    file: Path
    dtype: str
    shape: list[int]
    begin: int
    size: int

    def read(self) -> bytes:
        with open(self.file, "rb") as file:
            file.seek(self.begin)
            return file.read(self.size)


class BaseCheckpoint:
    """A local folder in Hugging Face's form.

    Raises ValueError if it is none.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        path = self.folder / "config.json"
        if not path.is_file():
            raise ValueError(
                f"base must be a local folder with config.json; {self.folder} has none. For a model of the Hugging Face "
                "Hub, pass the folder that huggingface_hub.snapshot_download(NAME) returns."
            )
        self._tied = _is_tied(json.loads(path.read_text()))
        self.tensors = {
            name: tensor for file in sorted(self.folder.glob("*.safetensors")) for name, tensor in _read_tensors(file)
        }

    def check_name(self, name: str) -> None:
        """Raises ValueError if the folder has no tensor of that name: an engine would ignore it, or refuse it."""
        if self.tensors and name not in self.tensors and not (self._tied and _is_output(name)):
            raise ValueError(
                f"The trainer sends tensor {name}, but {self.folder} has none of that name, so no engine would load it. "
                "Pass `convert`, which maps the trainer's tensors to those of the checkpoint (merges LoRA adapters, "
                "splits fused experts)."
            )

    def missing(self, sent: set[str]) -> Iterator[tuple[str, StoredTensor]]:
        """Returns the tensors that were not sent: those of frozen parts.

        An output matrix that is tied to the embedding is left out: the stored copy would be older than the embedding.
        """
        for name, tensor in self.tensors.items():
            if name not in sent and not (self._tied and _is_output(name)):
                yield name, tensor

    def copy_configuration(self, target: Path) -> None:
        """Copies all files except weights: configuration, tokenizer, chat template."""
        for path in self.folder.iterdir():
            if path.is_file() and not path.name.endswith(_WEIGHTS):
                shutil.copyfile(path, target / path.name)


def _is_tied(config: dict[str, Any]) -> bool:
    text = config.get("text_config")
    tied = config.get("tie_word_embeddings")
    return bool(text.get("tie_word_embeddings") if tied is None and isinstance(text, dict) else tied)


def _is_output(name: str) -> bool:
    return name == "lm_head.weight" or name.endswith(".lm_head.weight")


def _read_tensors(path: Path) -> Iterator[tuple[str, StoredTensor]]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    for name, spec in header.items():
        begin, end = spec["data_offsets"]
        yield name, StoredTensor(path, spec["dtype"], spec["shape"], 8 + length + begin, end - begin)
