"""One folder for each version, of which the last ones are kept."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


class VersionFolders:
    """Folders `version-<number>-<random>`: the proxy takes the same path and version for the same weights.

    keep: how many of those written here are kept. Folders of earlier runs are not touched.
    """

    def __init__(self, directory: str | os.PathLike[str], keep: int) -> None:
        if keep < 1:
            raise ValueError(f"keep must be at least 1; received {keep}.")
        self.directory = Path(directory).absolute()
        self._keep = keep
        self._written: list[Path] = []

    def write(self, version: int, fill: Callable[[Path], None]) -> Path:
        """Fills a folder and gives it its name when it is complete, so that nobody reads half of it."""
        self.directory.mkdir(parents=True, exist_ok=True)
        target = self.directory / f"version-{version:06}-{secrets.token_hex(4)}"
        part = target.with_name(f".{target.name}.part")
        part.mkdir()
        try:
            fill(part)
            _sync_folder(part)
            part.rename(target)
            _sync_folder(self.directory)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
        self._written.append(target)
        return target

    def remove_old(self) -> None:
        """Removes all but the last folders. Call it when the newest one is loaded."""
        for folder in self._written[: -self._keep]:
            shutil.rmtree(folder, ignore_errors=True)
        del self._written[: -self._keep]


def _sync_folder(folder: Path) -> None:
    """Writes the names of a folder's files to disk. File systems that cannot do so are left as they are."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
