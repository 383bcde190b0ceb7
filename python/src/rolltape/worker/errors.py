"""Describes exceptions for the parent process."""

from __future__ import annotations

import os
import traceback
from types import TracebackType
from typing import Any

from .load_agent import AgentError, ConstructionError

MOST_CHARACTERS = 8192
LONGEST_MESSAGE = 4096
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def describe_error(error: BaseException) -> dict[str, str]:
    """Returns class, message and traceback of an exception. Never raises, whatever the agent raised."""
    name = type(error).__name__
    try:
        message = f"The agent called sys.exit({error.code!r})." if isinstance(error, SystemExit) else str(error)
    except BaseException:  # An exception's own code may even call sys.exit.
        is_exit = isinstance(error, SystemExit)
        message = "The agent called sys.exit." if is_exit else "The exception cannot be described."
    return {"name": name, "message": cut(message, LONGEST_MESSAGE), "traceback": format_traceback(error)}


def describe_load_error(error: BaseException) -> dict[str, str]:
    """Returns the code, message and traceback of an agent that could not be loaded."""
    if isinstance(error, AgentError):
        return {"code": error.code, "message": str(error), "traceback": ""}
    if isinstance(error, ConstructionError) and error.__cause__ is not None:
        cause = describe_error(error.__cause__)
        message = f"{error}: {cause['name']}: {cause['message']}"
        return {"code": "construction_failed", "message": message, "traceback": cause["traceback"]}
    described = describe_error(error)
    message = f"{described['name']}: {described['message']}"
    return {"code": "import_failed", "message": message, "traceback": described["traceback"]}


def format_traceback(error: BaseException) -> str:
    """Returns the traceback without the frames of this worker. If it is long, its middle is left out."""
    try:
        lines = traceback.format_exception(type(error), error, skip_own_frames(error.__traceback__))
        return cut("".join(lines).rstrip(), MOST_CHARACTERS)
    except BaseException:
        return ""


def skip_own_frames(frames: TracebackType | None) -> TracebackType | None:
    """Returns the first frame of the agent, or of what it imports."""
    while frames is not None and is_own(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    return frames


def is_own(file: str) -> bool:
    # Python's import machinery calls the agent's module when it is imported.
    return file.startswith((OWN_FOLDER, "<frozen importlib"))


def cut(text: str, limit: int) -> str:
    """Leaves out the middle, because a traceback begins with its title and ends with the error."""
    if len(text) <= limit:
        return text
    start = limit // 4
    return f"{text[:start]}\n…\n{text[start - limit :]}"


def failure(identifier: int, error: BaseException) -> dict[str, Any]:
    """Returns the message about a task whose agent raised an exception."""
    return {"type": "failed", "id": identifier, "error": describe_error(error)}
