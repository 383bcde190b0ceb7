"""The page of `rolltape view` in a notebook's frame."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import rolltape
from conversations import random_sessions
from rolltape import Client
from support import COMMAND


def test_the_frame_has_the_whole_page_and_cannot_reach_the_notebook(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "batch.safetensors"
    client.export_batch_to(path, random_sessions(client, 3, seed=2))
    page = rolltape.view(path, command=COMMAND, height=300)
    frame = page._repr_html_()
    (attributes, text) = re.fullmatch(r'<iframe (.*) srcdoc="([^"]*)"></iframe>', frame, re.DOTALL).groups()  # type: ignore[union-attr]
    assert html.unescape(text) == page.text
    assert page.text.lower().startswith("<!doctype html>")
    assert "allow-same-origin" not in attributes
    assert "height: 300px" in attributes


def test_a_target_that_cannot_be_shown_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(rolltape.ServeError, match="cannot be read") as failed:
        rolltape.view(tmp_path / "none.safetensors", command=COMMAND)
    assert failed.value.code == "view_failed"
