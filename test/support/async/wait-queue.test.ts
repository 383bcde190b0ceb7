import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { WaitQueue } from "../../../src/support/async/wait-queue.js";

describe("a wait queue", () => {
  it("serves waiters in the order in which they came", async () => {
    const queue = new WaitQueue<string>();
    const served: string[] = [];
    const all = [1, 2, 3].map((waiter) => queue.wait().then((value) => served.push(`${value} to ${waiter}`)));
    expect(queue.length).toBe(3);
    for (const value of ["a", "b", "c"]) expect(queue.serve(value)).toBe(true);
    await Promise.all(all);
    expect(served).toEqual(["a to 1", "b to 2", "c to 3"]);
  });

  it("returns false if nobody waits", () => {
    expect(new WaitQueue().serve()).toBe(false);
  });

  it("skips a waiter whose signal aborted, and rejects it with the signal's reason", async () => {
    const queue = new WaitQueue<string>();
    const controller = new AbortController();
    const aborted = queue.wait(controller.signal);
    const waiting = queue.wait();
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    expect(queue.length).toBe(1);
    queue.serve("a");
    expect(await waiting).toBe("a");
  });

  it("does not queue a waiter whose signal is already aborted", async () => {
    const queue = new WaitQueue();
    await expect(queue.wait(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(queue.length).toBe(0);
  });

  it("leaves no listener on the signal of a served waiter", async () => {
    const queue = new WaitQueue();
    const { signal } = new AbortController();
    const waiting = queue.wait(signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    queue.serve();
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
