import { describe, expect, it } from "vitest";
import { Semaphore } from "../../../src/support/async/semaphore.js";

describe("a semaphore", () => {
  it("admits as many tasks at once as it has permits, and the others in order", async () => {
    const semaphore = new Semaphore(2);
    const admitted: number[] = [];
    const permits = [1, 2, 3, 4].map(async (task) => {
      const permit = await semaphore.acquire();
      admitted.push(task);
      return permit;
    });
    const [first, second] = await Promise.all(permits.slice(0, 2));
    expect(semaphore.waiting).toBe(2);
    expect(admitted).toEqual([1, 2]);
    second?.[Symbol.dispose]();
    await permits[2];
    expect(admitted).toEqual([1, 2, 3]);
    first?.[Symbol.dispose]();
    await permits[3];
    expect(admitted).toEqual([1, 2, 3, 4]);
  });

  it("gives a released permit to the task that waits, not to one that asks in the same turn", async () => {
    const semaphore = new Semaphore(1);
    const admitted: string[] = [];
    const held = await semaphore.acquire();
    const waiting = semaphore.acquire().then(() => admitted.push("waiting"));
    held[Symbol.dispose]();
    void semaphore.acquire().then(() => admitted.push("late"));
    await waiting;
    expect(admitted).toEqual(["waiting"]);
    expect(semaphore.waiting).toBe(1);
  });

  it("gives a permit without waiting only if one is free", async () => {
    const semaphore = new Semaphore(1);
    const permit = semaphore.tryAcquire();
    expect(permit).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
    permit?.[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it("releases a permit once, however often it is disposed", async () => {
    const semaphore = new Semaphore(1);
    const permit = await semaphore.acquire();
    permit[Symbol.dispose]();
    permit[Symbol.dispose]();
    await semaphore.acquire();
    void semaphore.acquire();
    expect(semaphore.waiting).toBe(1);
  });

  it("loses no permit to a task that is aborted while it waits", async () => {
    const semaphore = new Semaphore(1);
    const held = await semaphore.acquire();
    const controller = new AbortController();
    const aborted = semaphore.acquire(controller.signal);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    held[Symbol.dispose]();
    await semaphore.acquire();
    expect(semaphore.waiting).toBe(0);
  });

  it("gives no permit to a task whose signal is already aborted", async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.acquire(AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    await semaphore.acquire();
    expect(semaphore.waiting).toBe(0);
  });
});
