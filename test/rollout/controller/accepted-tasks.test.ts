import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AcceptedTasks, type BatchOrder } from "../../../src/rollout/controller/accepted-tasks.js";
import { StalenessControl, type StalenessLimits } from "../../../src/rollout/controller/staleness.js";
import type { TaskResult } from "../../../src/rollout/controller/task.js";

const limits = fc.record({
  maxConcurrentRollouts: fc.integer({ min: 1, max: 9 }),
  maxStaleness: fc.integer({ min: 0, max: 3 }),
  consumerBatchSize: fc.integer({ min: 1, max: 4 }),
});
/** The order in which running tasks end, and the outcome of each. */
const endings = fc.array(fc.record({ pick: fc.nat({ max: 99 }), accepted: fc.boolean() }), { maxLength: 120 });

const createResult = (index: number, version: number): TaskResult<null> => ({
  index,
  version,
  taskId: `task-${index}`,
  data: null,
  accepted: [],
  rejected: [],
});

interface Taken {
  /** The weight version at the time when the batch was taken. */
  readonly at: number;
  readonly tasks: readonly { readonly index: number; readonly version: number }[];
}

/** Trains: takes each batch as soon as it exists, and sets a new version after each. */
function train(
  given: StalenessLimits,
  order: BatchOrder,
  ends: readonly { pick: number; accepted: boolean }[],
): Taken[] {
  const control = new StalenessControl(given);
  const tasks = new AcceptedTasks<null>(order);
  const running: TaskResult<null>[] = [];
  const taken: Taken[] = [];
  let next = 0;
  for (const { pick, accepted } of ends) {
    while (control.freeSlots > 0) {
      control.start();
      tasks.start(next, control.version);
      running.push(createResult(next++, control.version));
    }
    const [ended] = running.splice(pick % running.length, 1);
    if (!ended) throw new Error("nothing runs, though a batch is not complete");
    control.end(accepted ? "accepted" : "rejected");
    tasks.end(ended.index, accepted ? ended : undefined);
    for (;;) {
      const dueVersion = control.version - given.maxStaleness;
      const batch = tasks.take({ count: given.consumerBatchSize, dueVersion, last: false });
      if (!batch) break;
      taken.push({ at: control.version, tasks: batch });
      control.setVersion(control.version + 1);
    }
  }
  return taken;
}

describe.each<BatchOrder>(["completion", "task"])("tasks in batches by %s", (order) => {
  it("are complete, in order, taken once, and never too stale", () => {
    fc.assert(
      fc.property(limits, endings, (given, ends) => {
        const taken = train(given, order, ends);
        const indices = taken.flatMap(({ tasks }) => tasks.map(({ index }) => index));
        expect(new Set(indices).size).toBe(indices.length);
        for (const { at, tasks } of taken) {
          expect(tasks).toHaveLength(given.consumerBatchSize);
          expect(tasks.map(({ index }) => index)).toEqual(tasks.map(({ index }) => index).toSorted((a, b) => a - b));
          for (const { version } of tasks) expect(at - version).toBeLessThanOrEqual(given.maxStaleness);
        }
      }),
    );
  });
});

describe("tasks in batches by task", () => {
  it("form the same batches however long each task takes", () => {
    const fates = fc.array(fc.boolean(), { minLength: 200, maxLength: 200 });
    fc.assert(
      fc.property(limits, fates, fc.array(fc.nat({ max: 99 }), { maxLength: 120 }), (given, fate, picks) => {
        const indices = run(given, fate, picks);
        // The batches that a trainer gets if it runs one task after another.
        const model = fate.flatMap((accepted, index) => (accepted ? [index] : []));
        expect(indices).toEqual(model.slice(0, indices.length));
      }),
    );
  });
});

/** Like {@link train}, but each task decides itself whether it is accepted, independent of when it ends. */
function run(given: StalenessLimits, fate: readonly boolean[], picks: readonly number[]): number[] {
  const control = new StalenessControl(given);
  const tasks = new AcceptedTasks<null>("task");
  const running: number[] = [];
  const indices: number[] = [];
  let next = 0;
  for (const pick of picks) {
    while (control.freeSlots > 0) {
      control.start();
      tasks.start(next, control.version);
      running.push(next++);
    }
    const [index = -1] = running.splice(pick % running.length, 1);
    const accepted = fate[index] ?? false;
    control.end(accepted ? "accepted" : "rejected");
    tasks.end(index, accepted ? createResult(index, 0) : undefined);
    const batch = tasks.take({ count: given.consumerBatchSize, dueVersion: -1, last: false });
    if (!batch) continue;
    indices.push(...batch.map((each) => each.index));
    control.setVersion(control.version + 1);
  }
  return indices;
}
