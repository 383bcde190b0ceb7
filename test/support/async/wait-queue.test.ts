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

  it("rejects everybody who waits, and serves those who come later", async () => {
    const queue = new WaitQueue<string>();
    const rejected = [queue.wait(), queue.wait()];
    queue.rejectAll(new Error("closed"));
    for (const each of rejected) await expect(each).rejects.toThrow("closed");
    const later = queue.wait();
    queue.serve("a");
    expect(await later).toBe("a");
  });

  it.each(["served", "rejected"] as const)("leaves no listener on the signal of a %s waiter", async (how) => {
    const queue = new WaitQueue();
    const { signal } = new AbortController();
    const waiting = queue.wait(signal).catch(() => undefined);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    if (how === "served") queue.serve();
    else queue.rejectAll(new Error("closed"));
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
