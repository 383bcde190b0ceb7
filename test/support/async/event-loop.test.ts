import { setImmediate as nextRound } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EventLoop } from "../../../src/support/async/event-loop.js";

describe("EventLoop", () => {
  it("starts one piece of work per iteration of the event loop, in order", async () => {
    const loop = new EventLoop();
    const log: string[] = [];
    const work = ["a", "b", "c"].map(async (name) => {
      await loop.yield();
      log.push(name);
    });
    for (let round = 0; round < 3; round++) {
      await nextRound();
      log.push(`round ${round}`);
    }
    await Promise.all(work);
    expect(log).toEqual(["a", "round 0", "b", "round 1", "c", "round 2"]);
  });

  it("gives work an iteration of its own, and what follows another one", async () => {
    const loop = new EventLoop();
    const log: string[] = [];
    const work = loop.alone(async () => {
      log.push("work");
      return 7;
    });
    const after = work.then((result) => log.push(`after ${result}`));
    for (let round = 0; round < 3; round++) {
      log.push(`round ${round}`);
      await nextRound();
    }
    await after;
    expect(log).toEqual(["round 0", "work", "round 1", "after 7", "round 2"]);
  });

  it("works again after it was idle", async () => {
    const loop = new EventLoop();
    await loop.yield();
    await nextRound();
    await expect(loop.yield()).resolves.toBeUndefined();
  });
});
