"""How an agent's function is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

from .context import AgentContext
from .load_agent import AgentError

CONTEXT_FIELDS = frozenset(field.name for field in fields(AgentContext))


@dataclass(frozen=True)
class AgentCall:
    """Calls an agent with a task and its context."""

    call: Callable[[Any, AgentContext], Any]
    is_async: bool
    """True if the call returns an awaitable, so that many tasks can run at once."""


def create_call(function: Callable[..., Any]) -> AgentCall:
    """Chooses the arguments from the function's signature.

    - ``solve(task, context)``
    - ``run(data, **extra_kwargs)`` or ``run(data, *, base_url, api_key)``: fields of the context as keyword arguments
    - ``solve(task)``: address and key are in the environment, if the process runs one task at a time
    """
    is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # Functions that are written in C may have no signature.
        return AgentCall(function, is_async)
    positional = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    kinds = {each.kind for each in parameters}
    if inspect.Parameter.VAR_POSITIONAL in kinds or (len(positional) > 1 and positional[1] not in CONTEXT_FIELDS):
        return AgentCall(function, is_async)
    if not positional:
        raise AgentError("invalid_workflow", "The agent must accept the task as its first argument; it accepts none.")
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return AgentCall(lambda task, context: function(task, **asdict(context)), is_async)
    names = CONTEXT_FIELDS & {each.name for each in parameters}
    return AgentCall(lambda task, context: function(task, **{name: getattr(context, name) for name in names}), is_async)
