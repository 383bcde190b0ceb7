"""The numbers of an image's tokens that the tests of the server expect are those of transformers' image processors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

transformers = pytest.importorskip("transformers")
pytest.importorskip("PIL")

from PIL import Image  # noqa: E402

COUNTS = json.loads((Path(__file__).parents[2] / "test/fixtures/images/token-counts.json").read_text())

QWEN2 = {"patch_size": 14, "merge_size": 2, "size": {"shortest_edge": 3136, "longest_edge": 12_845_056}}
QWEN3 = {"patch_size": 16, "merge_size": 2, "size": {"shortest_edge": 65_536, "longest_edge": 16_777_216}}

# Qwen2-VL and Qwen2.5-VL have the same files, and so have Qwen3-VL and Qwen3.5.
PROCESSORS = [
    ("qwen2_5_vl", "Qwen2VLImageProcessorPil", QWEN2),
    ("qwen3_vl", "Qwen2VLImageProcessorPil", QWEN3),
    ("glm4v", "Glm4vImageProcessorPil", {}),
    ("glm4v", "Glm46VImageProcessorPil", {}),
]


@pytest.mark.parametrize(("family", "processor", "values"), PROCESSORS)
def test_counts_are_those_of_transformers(family: str, processor: str, values: dict[str, Any]) -> None:
    process = getattr(transformers, processor)(**values)
    for width, height, tokens, rows, columns in COUNTS[family]:
        grid = process(images=[Image.new("RGB", (width, height))], return_tensors="np")["image_grid_thw"][0]
        assert (grid.tolist(), grid.prod() // 4) == ([1, rows, columns], tokens), (width, height)
