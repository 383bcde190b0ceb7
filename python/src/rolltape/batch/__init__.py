"""Batches as numpy arrays. Start reading at `batch.py`."""

from .batch import Batch, EpisodeInfo, RowInfo
from .samples import Sample, Turn

__all__ = ["Batch", "EpisodeInfo", "RowInfo", "Sample", "Turn"]
