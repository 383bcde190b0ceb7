import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertLimits,
  type BatchOrder,
  type BatchQuestion,
  chooseBatch,
  freeSlots,
  type StalenessLimits,
  type StartedTask,
} from "../../src/job/planning.js";

const limits = fc.record({
  maxConcurrentRollouts: fc.integer({ min: 1, max: 9 }),
  maxStaleness: fc.integer({ min: 0, max: 3 }),
  consumerBatchSize: fc.integer({ min: 1, max: 4 }),
});
/** The order in which running tasks end, and the outcome of each. */
const endings = fc.array(fc.record({ pick: fc.nat({ max: 99 }), accepted: fc.boolean() }), { maxLength: 120 });

/** The tasks of a trainer that takes each batch as soon as it exists, and sets a new version after each. */
class Rollout {
  version = 0;
  running: StartedTask[] = [];
  #accepted: StartedTask[] = [];
  #taken = 0;
  #next = 0;
  readonly #limits: StalenessLimits;
  readonly #order: BatchOrder;

  constructor(limits: StalenessLimits, order: BatchOrder) {
    this.#limits = limits;
    this.#order = order;
  }

  start(): void {
    const started = { running: this.running.length, accepted: this.#taken + this.#accepted.length };
    const free = freeSlots(this.#limits, { version: this.version, extra: 0, ...started });
    for (let i = 0; i < free; i++) this.running.push({ index: this.#next++, version: this.version });
  }

  end(pick: number, isAccepted: (index: number) => boolean): void {
    const [ended] = this.running.splice(pick % this.running.length, 1);
    if (!ended) throw new Error("nothing runs, though a batch is not complete");
    if (isAccepted(ended.index)) this.#accepted = [...this.#accepted, ended].toSorted((a, b) => a.index - b.index);
  }

  take(): StartedTask[] | undefined {
    const chosen = chooseBatch({
      order: this.#order,
      count: this.#limits.consumerBatchSize,
      dueVersion: this.version - this.#limits.maxStaleness,
      last: false,
      accepted: this.#accepted,
      running: this.running,
    });
    if (!chosen) return undefined;
    const batch = this.#accepted.filter(({ index }) => chosen.includes(index));
    this.#accepted = this.#accepted.filter(({ index }) => !chosen.includes(index));
    this.#taken += batch.length;
    return batch;
  }
}

interface Taken {
  /** The weight version at the time when the batch was taken. */
  readonly at: number;
  readonly tasks: readonly { readonly index: number; readonly version: number }[];
}

function train(
  given: StalenessLimits,
  order: BatchOrder,
  ends: readonly { pick: number; accepted: boolean }[],
): Taken[] {
  const rollout = new Rollout(given, order);
  const taken: Taken[] = [];
  for (const { pick, accepted } of ends) {
    rollout.start();
    rollout.end(pick, () => accepted);
    for (let batch = rollout.take(); batch; batch = rollout.take()) {
      taken.push({ at: rollout.version, tasks: batch });
      rollout.version++;
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
  const rollout = new Rollout(given, "task");
  const indices: number[] = [];
  for (const pick of picks) {
    rollout.start();
    rollout.end(pick, (index) => fate[index] ?? false);
    const batch = rollout.take();
    if (!batch) continue;
    indices.push(...batch.map(({ index }) => index));
    rollout.version++;
  }
  return indices;
}

describe("the next batch", () => {
  /** Tasks by their versions. */
  const tasksOf = (first: number, ...versions: number[]) =>
    versions.map((version, i) => ({ index: first + i, version }));

  const choose = (question: Partial<BatchQuestion>) =>
    chooseBatch({ order: "completion", count: 1, dueVersion: 0, last: false, accepted: [], running: [], ...question });

  it.each([
    ["nobody runs", [], true],
    ["those that run began with its version or later", [2, 2, 2, 3], true],
    ["an older one that runs can wait for a version", [1], true],
    ["older ones can wait, each for its own version", [2, 1], true],
    ["an older one would be too stale after it", [0], false],
    ["two older ones would need the same version", [1, 1], false],
    ["younger ones would need the versions of older ones", [1, 2, 2], false],
  ])("by completion is there although %s: versions %j", (_, running, isThere) => {
    expect(choose({ accepted: tasksOf(9, 2), running: tasksOf(0, ...running) })).toEqual(isThere ? [9] : undefined);
  });

  it("by completion waits also for accepted tasks that are left", () => {
    const [accepted, running] = [tasksOf(5, 2, 1), tasksOf(0, 1)];
    expect(choose({ accepted, running })).toBeUndefined();
    expect(choose({ accepted, running, count: 2 })).toEqual([5, 6]);
  });

  it("by task waits for those before its last one only", () => {
    const accepted = tasksOf(1, 0, 0, 0);
    const running = (index: number) => [{ index, version: 0 }];
    expect(choose({ order: "task", count: 2, accepted, running: running(0) })).toBeUndefined();
    expect(choose({ order: "task", count: 2, accepted, running: running(3) })).toEqual([1, 2]);
  });

  it.each<BatchOrder>(["completion", "task"])("by %s is complete, unless it is the last", (order) => {
    const accepted = tasksOf(3, 0);
    expect(choose({ order, count: 2, accepted })).toBeUndefined();
    expect(choose({ order, count: 2, accepted, last: true })).toEqual([3]);
    expect(choose({ order, count: 2, last: true })).toEqual([]);
  });

  it.each<BatchOrder>(["completion", "task"])("by %s can have more tasks than a call has arguments", (order) => {
    const accepted = Array.from({ length: 200_000 }, (_, index) => ({ index, version: 0 }));
    expect(choose({ order, count: accepted.length, accepted })).toHaveLength(200_000);
  });
});

describe("free slots", () => {
  it("are those of the formula", () => {
    const limits = { maxConcurrentRollouts: 6, maxStaleness: 1, consumerBatchSize: 4 };
    expect(freeSlots(limits, { version: 0, running: 0, accepted: 0, extra: 0 })).toBe(6);
    expect(freeSlots(limits, { version: 0, running: 2, accepted: 3, extra: 0 })).toBe(3);
    expect(freeSlots(limits, { version: 0, running: 6, accepted: 0, extra: 0 })).toBe(0);
    expect(freeSlots(limits, { version: 0, running: 0, accepted: 9, extra: 0 })).toBe(0);
    expect(freeSlots(limits, { version: 1, running: 0, accepted: 8, extra: 0 })).toBe(4);
    expect(freeSlots(limits, { version: 0, running: 0, accepted: 8, extra: 4 })).toBe(4);
  });
});

describe("limits", () => {
  it.each([
    ["maxConcurrentRollouts", { maxConcurrentRollouts: 0 }],
    ["maxStaleness", { maxStaleness: -1 }],
    ["consumerBatchSize", { consumerBatchSize: 1.5 }],
    ["consumerBatchSize", { consumerBatchSize: 0 }],
    ["maxStaleness", { maxStaleness: "0" }],
  ])("are refused with an invalid %s", (name, wrong) => {
    const limits = { maxConcurrentRollouts: 1, maxStaleness: 0, consumerBatchSize: 1, ...wrong };
    expect(() => assertLimits(limits as StalenessLimits)).toThrow(
      expect.objectContaining({ code: "invalid_option", message: expect.stringContaining(name) as string }),
    );
  });

  it.each([undefined, null, 3])("are refused if they are %s", (limits) => {
    expect(() => assertLimits(limits as never)).toThrow("options must be an object with maxConcurrentRollouts");
  });
});
