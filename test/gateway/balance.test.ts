import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sortByFreeSlots, spreadSlots } from "../../src/gateway/routes/capacity.js";
import type { Worker } from "../../src/gateway/worker-pool.js";

describe("new slots", () => {
  it("go to the workers with the least load", () => {
    const loads = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(60), loads, (slots, before) => {
        const model = [...before];
        for (let slot = 0; slot < slots; slot++) {
          const least = model.indexOf(Math.min(...model));
          model[least] = (model[least] ?? 0) + 1;
        }
        const after = spreadSlots(slots, before).map((share, index) => share + (before[index] ?? 0));
        expect([...after].sort((a, b) => a - b)).toEqual(model.sort((a, b) => a - b));
        expect(spreadSlots(slots, before).every((share) => share >= 0)).toBe(true);
      }),
    );
  });
});

describe("a new session", () => {
  it("goes to the worker with the most free slots, and among equals to the one with the fewest sessions", () => {
    const worker = (tag: string, capacity: number, sessions: number) =>
      ({ tag, capacity, sessions }) as unknown as Worker;
    const workers = [worker("few", 1, 0), worker("busy", 3, 7), worker("idle", 3, 2), worker("some", 3, 5)];
    expect(sortByFreeSlots(workers).map(({ tag }) => tag)).toEqual(["idle", "some", "busy", "few"]);
  });
});
