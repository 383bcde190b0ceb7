"""TRL takes no images from rollouts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from image_batches import BLUE, RED, image_batch
from rolltape import BatchError
from rolltape.trl.rows import check_images

OPTIONS: dict[str, Any] = {"layout": "packed", "style": "concat", "turns": True}


def test_rows_with_images_are_refused(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, BLUE, **OPTIONS)
    with pytest.raises(BatchError, match=r"A row of session a has images\. TRL takes no images") as refused:
        check_images(batch)
    assert refused.value.code == "images_refused"
    check_images(batch.select([2]))


def test_images_of_the_dataset_are_allowed_only_before_the_first_answer(tmp_path: Path) -> None:
    batch = image_batch(tmp_path, RED, BLUE, **OPTIONS)
    with pytest.raises(BatchError, match="A row of session a has images after its prompt"):
        check_images(batch, in_prompts=True)
    check_images(batch.select([1, 2]), in_prompts=True)
