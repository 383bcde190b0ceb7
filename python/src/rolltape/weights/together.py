"""Calls that run at the same time, of which one may hang."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from threading import Thread
from typing import TypeVar

_Result = TypeVar("_Result")


class TogetherError(Exception):
    """failures: the reason of each call that has failed so far, by name."""

    def __init__(self, failures: Mapping[str, str]) -> None:
        super().__init__(" ".join(f"{name}: {reason}" for name, reason in failures.items()))
        self.failures = dict(failures)


def run_together(calls: Mapping[str, Callable[[], _Result]], timeout: float) -> dict[str, _Result]:
    """Returns the results of all calls, by name.

    Raises TogetherError as soon as one fails, or after the timeout in seconds, without waiting for the others: a collective
    operation of which a member is missing never ends.
    """
    futures: dict[str, Future[_Result]] = {name: Future() for name in calls}
    for name, call in calls.items():
        # Not an executor, which would wait for its threads when the process ends.
        Thread(target=_run, args=(futures[name], call), name=f"rolltape {name}", daemon=True).start()
    wait(futures.values(), timeout, return_when=FIRST_EXCEPTION)
    failed = {name: future.exception() for name, future in futures.items() if future.done()}
    failures = {name: str(error) or type(error).__name__ for name, error in failed.items() if error is not None}
    if not failures:
        failures = {name: f"no answer in {timeout:g} seconds." for name in futures if name not in failed}
    if failures:
        raise TogetherError(failures)
    return {name: future.result() for name, future in futures.items()}


def _run(future: Future[_Result], call: Callable[[], _Result]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:
        future.set_exception(error)
