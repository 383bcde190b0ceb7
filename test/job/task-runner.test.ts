import { expect, it } from "vitest";
import { WorkflowRunner } from "../../src/job/task-runner.js";
import { HeldProxy } from "./held-proxy.js";
import { acceptedAs, HeldWorkflow } from "./held-workflow.js";

it("runs a task with its ids, its lease and its options, and leaves the export to the batch", async () => {
  const workflow = new HeldWorkflow();
  const { engine } = new HeldProxy();
  const runner = new WorkflowRunner(workflow, engine, { rejectedSessions: "keep" });
  const { signal } = new AbortController();
  const task = { index: 0, data: 7, taskId: "t", groupId: "g", version: 1, leaseId: "l", cutLeases: ["cut"] };
  const result = runner.runTask(task, signal);
  const options = workflow.options.get(7);
  const given = { rejectedSessions: "keep", taskId: "t", groupId: "g", leaseId: "l", export: "deferred" };
  expect(options).toMatchObject(given);
  expect(options?.signal).toBe(signal);
  await workflow.end(7, acceptedAs("s"));
  expect(await result).toEqual(acceptedAs("s"));
  const admin = { activeSessions: async (lease: string) => [`of ${lease}`] };
  expect(await options?.cutSessions?.take(admin as never)).toEqual({ sessionId: "of cut", leaseId: "cut" });
});

it.each([
  [undefined, false],
  [false, false],
  [true, true],
])("can resume if its workflow can: %s", (canResume, expected) => {
  const workflow = Object.assign(new HeldWorkflow(), { canResume });
  expect(new WorkflowRunner(workflow, new HeldProxy().engine).canResume).toBe(expected);
});
