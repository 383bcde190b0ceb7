"""Batches as numpy arrays. Start reading at `batch.py`."""

from .batch import Batch, EpisodeInfo, RowInfo
from .channels import Channel
from .images import Image
from .samples import Sample, Samples, Turn

__all__ = ["Batch", "Channel", "EpisodeInfo", "Image", "RowInfo", "Sample", "Samples", "Turn"]
