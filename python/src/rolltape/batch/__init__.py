"""Batches as numpy arrays. Start reading at `batch.py`."""

from .batch import Batch, RowInfo
from .samples import Sample

__all__ = ["Batch", "RowInfo", "Sample"]
