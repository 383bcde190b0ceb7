import { expect, it } from "vitest";
import { RolloutBatch } from "../../src/job/rollout-batch.js";
import type { TaskResult } from "../../src/job/task.js";
import type { RolloutEngine } from "../../src/rollout/contract.js";

function batchOf(...tasks: (readonly [sessionId: string, url: string])[][]): RolloutBatch {
  const results = tasks.map((sessions) => ({ accepted: sessions.map(([sessionId, url]) => ({ sessionId, url })) }));
  return new RolloutBatch(results as unknown as TaskResult<unknown>[], 3, { url: "http://c" } as RolloutEngine, {});
}

it("lists the sessions of its tasks in their order", () => {
  const batch = batchOf(
    [
      ["a", "http://p"],
      ["b", "http://p"],
    ],
    [],
    [["c", "http://p"]],
  );
  expect([batch.sessionIds, batch.version]).toEqual([["a", "b", "c"], 3]);
});

it("cannot be exported at once if its sessions are on several proxies", () => {
  expect(() => batchOf([["a", "http://p"]], [["b", "http://q"]]).export()).toThrow(
    expect.objectContaining({
      code: "several_proxies",
      message:
        "The sessions of this batch are on several proxies: http://p, http://q. One call can export the sessions of one " +
        "proxy only.",
    }) as Error,
  );
});
