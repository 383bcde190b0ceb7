"""How an agent's functions are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from .context import AgentContext
from .load_agent import AgentError, LoadedAgent

CONTEXT_FIELDS = frozenset(field.name for field in fields(AgentContext))


@dataclass(frozen=True)
class AgentCall:
    """Calls an agent with a task and its context."""

    run: Callable[[Any, AgentContext], Any]
    resume: Callable[[Any, Any, AgentContext], Any] | None
    """Goes on with an episode: task, transcript, context. None if the agent cannot."""

    is_async: bool
    """True if the calls return an awaitable, so that many tasks can run at once."""

    def call(self, message: Mapping[str, Any]) -> Any:
        """Calls the function that a message of the parent asks for."""
        data, context = message["data"], AgentContext(**message["context"])
        if self.resume is not None and message.get("transcript") is not None:
            return self.resume(data, message["transcript"], context)
        return self.run(data, context)


def create_call(agent: LoadedAgent) -> AgentCall:
    """Chooses the arguments from the functions' signatures.

    - ``solve(task, context)``
    - ``run(data, **extra_kwargs)`` or ``run(data, *, base_url, api_key)``: fields of the context as keyword arguments
    - ``solve(task)``: address and key are in the environment, if the process runs one task at a time

    ``resume`` has the same forms, with the transcript after the task.
    """
    is_async = is_coroutine_function(agent.run)
    run = pass_context(agent.run, ["task"])
    if agent.resume is None:
        return AgentCall(run, None, is_async)
    if is_coroutine_function(agent.resume) != is_async:
        raise AgentError("invalid_workflow", "run and resume of an agent must both be async, or neither of them.")
    return AgentCall(run, pass_context(agent.resume, ["task", "transcript"]), is_async)


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def pass_context(function: Callable[..., Any], leading: list[str]) -> Callable[..., Any]:
    """Returns a function that is called with the leading arguments and the context.

    :param leading: names of the arguments before the context
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # Functions that are written in C may have no signature.
        return function
    positional = [each.name for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    kinds = {each.kind for each in parameters}
    count = len(leading)
    if inspect.Parameter.VAR_POSITIONAL in kinds or (
        len(positional) > count and positional[count] not in CONTEXT_FIELDS
    ):
        return function
    if len(positional) < count:
        places = "first argument" if count == 1 else "first two arguments"
        accepted = ", ".join(positional) or "none"
        message = f"The agent must accept the {' and the '.join(leading)} as its {places}; it accepts {accepted}."
        raise AgentError("invalid_workflow", message)
    if inspect.Parameter.VAR_KEYWORD in kinds:
        return lambda *given: function(*given[:-1], **asdict(given[-1]))
    names = CONTEXT_FIELDS & {each.name for each in parameters}
    return lambda *given: function(*given[:-1], **{name: getattr(given[-1], name) for name in names})
