"""Shows episodes in a notebook: the page of `rolltape view` in a frame."""

from __future__ import annotations

import html
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .errors import ServeError
from .server import find_command

MAX_BYTES = 20_000_000


class Page:
    """One HTML page that needs no server. A notebook shows it in a frame if it is the last value of a cell."""

    def __init__(self, text: str, height: int) -> None:
        self.text, self._height = text, height

    def _repr_html_(self) -> str:
        # Texts of episodes are untrusted. Without allow-same-origin, the page cannot reach the notebook.
        attributes = f'sandbox="allow-scripts allow-downloads" style="width: 100%; height: {self._height}px; border: 0"'
        return f'<iframe {attributes} srcdoc="{html.escape(self.text)}"></iframe>'


def view(
    target: str | os.PathLike[str],
    *,
    height: int = 600,
    max_bytes: int = MAX_BYTES,
    command: str | os.PathLike[str] | Sequence[str] | None = None,
) -> Page:
    """Returns the page of `rolltape view`, for a notebook on this or any other machine.

    target: a transcript such as `batch.safetensors.jsonl`, a tensor file, a folder of them, or the URL of a server.
    height: of the frame, in pixels. max_bytes: of the page, which leaves out the last episodes if there are too many.
    command: as of `serve`.

    Raises ServeError `command_not_found`, or `view_failed` with what the program wrote.
    """
    with tempfile.TemporaryDirectory(prefix="rolltape-view-") as folder:
        path = Path(folder) / "page.html"
        options = ["--html", str(path), "--max-bytes", str(max_bytes)]
        words = [*find_command(command), "view", os.fspath(target), *options]
        result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if result.returncode != 0:
            raise ServeError("view_failed", result.stderr.strip() or f"`rolltape view` ended with {result.returncode}.")
        return Page(path.read_text(), height)
