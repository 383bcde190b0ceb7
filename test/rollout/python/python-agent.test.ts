import { expect, it } from "vitest";
import { PythonAgent } from "../../../src/rollout/python/python-agent.js";

it("cannot resume before a process has loaded the agent", async () => {
  await using agent = new PythonAgent("agent.py:solve");
  expect(agent.resume).toBeUndefined();
});

it.each([
  [{ maxWorkers: 0 }, "maxWorkers must be an integer of at least 1; received the number 0."],
  [{ tasksPerWorker: 1.5 }, "tasksPerWorker must be an integer of at least 1; received the number 1.5."],
  [
    { keywordArguments: { depth: Number.NaN } },
    "keywordArguments.depth is NaN, which cannot be sent to another process.",
  ],
])("refuses %j", (options, message) => {
  expect(() => new PythonAgent("agent.py:solve", options)).toThrow(message);
});
