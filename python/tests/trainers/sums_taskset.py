"""A taskset of verifiers 0.4. Its tool server imports this file in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator

import verifiers.v1 as vf

__all__ = ["SumsTaskset"]


class SumsToolset(vf.Toolset[vf.ToolsetConfig]):
    TOOL_PREFIX = None

    @vf.tool
    def add(self, a: int, b: int) -> str:
        """Adds two numbers."""
        return str(a + b)

    @vf.tool
    def double(self, number: int) -> str:
        """Doubles a number."""
        return str(2 * number)


class SumsData(vf.TaskData):
    answer: str


class SumsTaskConfig(vf.TaskConfig):
    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class SumsTask(vf.Task[SumsData, vf.State, SumsTaskConfig]):
    @classmethod
    def toolsets(cls, config: SumsTaskConfig) -> list[vf.Toolset]:
        return [SumsToolset(config.tools)]

    @vf.reward(weight=1.0)
    async def is_right(self, trace: vf.Trace) -> float:
        if self.data.answer == "22":
            raise RuntimeError("no judge is left")
        return float(trace.last_reply == self.data.answer)

    @vf.reward(weight=0.5)
    async def length(self, trace: vf.Trace) -> float:
        return trace.num_turns / 10


class SumsConfig(vf.TasksetConfig):
    task: SumsTaskConfig = SumsTaskConfig()
    num_tasks: int = 3
    infinite: bool = False


class SumsTaskset(vf.Taskset[SumsTask, SumsConfig]):
    @property
    def bounded(self) -> bool:
        return not self.config.infinite

    def load(self) -> Iterator[SumsTask]:
        for a, b in [(1, 2), (3, 4), (5, 6)][: self.config.num_tasks]:
            data = SumsData(prompt=f"What is {a} + {b}, doubled?", answer=str(2 * (a + b)))
            yield SumsTask(data, self.config.task)


if __name__ == "__main__":
    SumsToolset.run()
