"""A tiny random Qwen2.5-VL with its processor, and two pictures for it."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from support import REPOSITORY

SCRIPT = REPOSITORY / "test" / "real" / "support" / "vision.py"
# The token of images in the tokenizer of the model.
IMAGE_TOKEN = 514


def write_vision_model(tokenizer: str, folder: Path) -> str:
    """Writes the model to the folder. tokenizer: folder of the tiny model, whose tokenizer it takes."""
    subprocess.run([sys.executable, SCRIPT, "make", "qwen2_5_vl", tokenizer, folder], check=True)
    return str(folder)


def png(width: int, height: int, seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


# 4 and 6 tokens.
RED, BLUE = png(56, 56, 1), png(84, 56, 2)
