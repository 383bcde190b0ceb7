"""Folders of weights that engines load. Start reading at `write_checkpoint.py`."""

from .base_checkpoint import BaseCheckpoint
from .version_folders import VersionFolders
from .write_checkpoint import write_checkpoint

__all__ = ["BaseCheckpoint", "VersionFolders", "write_checkpoint"]
