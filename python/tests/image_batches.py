"""Batches with images, which the library writes."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rolltape import Batch
from support import REPOSITORY

SCRIPT = Path(__file__).with_name("image_batches.mjs")
# Images of one pixel and of two.
RED = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
BLUE = base64.b64decode("R0lGODdhAgABAIEAAAAA/wAAAAAAAAAAACwAAAAAAgABAAAIBQABAAgIADs=")
# The token of images.
PAD = 9


def write_batch(
    folder: Path,
    red: bytes,
    blue: bytes,
    *,
    branches: bool = False,
    calls: Sequence[Any] = (),
    pad: int = PAD,
    **options: Any,
) -> Path:
    """Writes a batch with four rows, and returns its path.

    Row 0 shows the red image with 4 tokens from token 1 on. Row 1 continues it and shows the blue image with 6 tokens from
    token 7 on. Row 2, of another session, begins with the blue image. Row 3 has no image.

    calls: further rows that show the red image: `prompt`, `output`, and `offset` and `length` of the image.
    branches: after row 1 comes another row with the same images, which has other tokens from token 6 on.
    """
    paths = {name: folder / name for name in ("red", "blue", "out")}
    paths["red"].write_bytes(red)
    paths["blue"].write_bytes(blue)
    description = {
        **{name: str(path) for name, path in paths.items()},
        "branches": branches,
        "calls": calls,
        "pad": pad,
        "options": options,
    }
    index = REPOSITORY / "dist" / "index.js"
    subprocess.run(["node", SCRIPT, index, json.dumps(description)], check=True)
    return paths["out"]


def image_batch(folder: Path, red: bytes, blue: bytes, **options: Any) -> Batch:
    return Batch.from_bytes(bytearray(write_batch(folder, red, blue, **options).read_bytes()))
