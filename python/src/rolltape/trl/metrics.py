"""What a worker measures, in the form that TRL logs."""

from __future__ import annotations

import queue
from collections import defaultdict
from typing import Any


class Metrics:
    """Collects values and puts them into a queue that the trainer drains when it logs.

    A counter is a sum since the last flush. A rate is a pair (numerator, denominator), which TRL sums before it divides.
    A gauge is the last value. TRL averages gauges, adds counters whose name ends in `_total`, and takes the maximum of
    `_max`. If nobody drains the queue, values are collected until somebody does.
    """

    def __init__(self, size: int = 1024) -> None:
        self.queue: queue.Queue[dict[str, float | tuple[float, float]]] = queue.Queue(size)
        self._counters: defaultdict[str, float] = defaultdict(float)
        self._rates: defaultdict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        self._gauges: dict[str, float] = {}

    def count(self, name: str, amount: float = 1.0) -> None:
        self._counters[f"rollout/{name}_total"] += amount

    def rate(self, name: str, numerator: float, denominator: float) -> None:
        before = self._rates[f"rollout/{name}"]
        self._rates[f"rollout/{name}"] = (before[0] + numerator, before[1] + denominator)

    def gauge(self, name: str, value: float) -> None:
        self._gauges[f"rollout/{name}"] = value

    def gauge_max(self, name: str, value: float) -> None:
        key = f"rollout/{name}_max"
        self._gauges[key] = max(value, self._gauges.get(key, value))

    def flush(self) -> None:
        values: dict[str, Any] = {**self._counters, **self._rates, **self._gauges}
        if not values:
            return
        try:
            self.queue.put_nowait(values)
        except queue.Full:
            return
        self._counters.clear()
        self._rates.clear()
        self._gauges.clear()
