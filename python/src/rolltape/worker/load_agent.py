"""Imports an agent from a file."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

MOST_NAMES = 20


class AgentError(Exception):
    """The file has no agent of this name. ``code`` is that of a WorkflowError."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ConstructionError(Exception):
    """The constructor of an agent's class failed; ``__cause__`` has the reason."""


@dataclass(frozen=True)
class LoadedAgent:
    """The functions of an agent."""

    run: Callable[..., Any]
    resume: Callable[..., Any] | None
    """Goes on with an episode that was cut; None if the agent has no ``resume``."""


def load_agent(file: str, name: str | None, arguments: Mapping[str, Any]) -> LoadedAgent:
    """Returns the functions that run a task and go on with one.

    :param file: absolute path of the file
    :param name: a function, an object with ``run``, or a class of such objects. None: the file's only one
    :param arguments: keyword arguments of the constructor, if it is a class
    :raises AgentError: if there is no such agent
    """
    module = import_file(file)
    exports = list_exports(module)
    if name is None:
        name = find_only(module, exports)
    elif not hasattr(module, name):
        names = ", ".join(list(exports)[:MOST_NAMES]) or "nothing that can be an agent"
        raise AgentError("export_not_found", f"{shorten(file)} does not define {name}. It defines {names}.")
    return to_agent(getattr(module, name), f"{shorten(file)}:{name}", arguments)


def import_file(file: str) -> ModuleType:
    if not os.path.isfile(file):
        raise AgentError("import_failed", f"{file} does not exist.")
    # Files beside it can be imported, as if Python ran the file.
    sys.path.insert(0, os.path.dirname(file))
    stem = os.path.splitext(os.path.basename(file))[0]
    # The file must not replace a loaded module of the same name.
    module_name = stem if stem not in sys.modules else f"{stem}_agent"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise AgentError("import_failed", f"{file} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    # Pickle and dataclasses look the module up.
    sys.modules[module_name] = module
    spec.loader.exec_module(module)
    return module


def list_exports(module: ModuleType) -> dict[str, Any]:
    """Returns what may be an agent: the names of ``__all__``, else public functions, classes and objects with ``run``."""
    chosen = getattr(module, "__all__", None)
    if chosen is not None:
        return {name: getattr(module, name, None) for name in chosen}
    return {name: value for name, value in vars(module).items() if not name.startswith("_") and is_own(module, value)}


def is_own(module: ModuleType, value: Any) -> bool:
    """Returns true for an agent that the module defines itself, and false for what it imported."""
    if inspect.isfunction(value) or inspect.isclass(value):
        defined_here = value.__module__ == module.__name__
        return defined_here and (inspect.isfunction(value) or callable(getattr(value, "run", None)))
    return callable(getattr(value, "run", None)) and not inspect.ismodule(value)


def find_only(module: ModuleType, exports: Mapping[str, Any]) -> str:
    names = list(exports)
    if len(names) == 1:
        return names[0]
    file = shorten(module.__file__ or "")
    if not names:
        raise AgentError("invalid_workflow", f"{file} defines no function, and nothing with run.")
    listed = ", ".join(names[:MOST_NAMES])
    raise AgentError("invalid_workflow", f"{file} defines {listed}. Name one: {file}:{names[0]}")


def to_agent(value: Any, place: str, arguments: Mapping[str, Any]) -> LoadedAgent:
    if inspect.isclass(value):
        value = construct(value, place, arguments)
    resume = getattr(value, "resume", None)
    for function in (getattr(value, "run", None), value):
        if callable(function):
            return LoadedAgent(cast("Callable[..., Any]", function), resume if callable(resume) else None)
    expected = "a function solve(task, context), an object with run, or a class of such objects"
    raise AgentError("invalid_workflow", f"{place} must be {expected}; it is of type {type(value).__name__}.")


def construct(agent_class: type, place: str, arguments: Mapping[str, Any]) -> Any:
    if not callable(getattr(agent_class, "run", None)):
        raise AgentError("invalid_workflow", f"{place} must be a class with run; {agent_class.__name__} has none.")
    try:
        return agent_class(**arguments)
    except Exception as error:
        names = ", ".join(arguments) or "no keyword arguments"
        raise ConstructionError(f"the constructor of {place} failed with {names}") from error


def shorten(file: str) -> str:
    return os.path.basename(file)
