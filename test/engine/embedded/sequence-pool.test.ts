import { describe, expect, it } from "vitest";
import { SequencePool } from "../../../src/engine/embedded/sequence-pool.js";

const PROMPT = Int32Array.of(1, 2, 3);
const never = new AbortController().signal;

describe("SequencePool", () => {
  it("lends each sequence to one call at a time; more calls wait", async () => {
    const pool = new SequencePool(["a", "b"], 16);
    const first = await pool.acquire(PROMPT, "1", never);
    const second = await pool.acquire(PROMPT, "2", never);
    expect(new Set([first.sequence, second.sequence])).toEqual(new Set(["a", "b"]));
    const order: string[] = [];
    const third = pool.acquire(PROMPT, "3", never).then((slot) => order.push(`3${slot.sequence}`));
    const fourth = pool.acquire(PROMPT, "4", never).then((slot) => order.push(`4${slot.sequence}`));
    pool.release(second);
    pool.release(first);
    await Promise.all([third, fourth]);
    expect(order).toEqual([`3${second.sequence}`, `4${first.sequence}`]);
  });

  it("lends a free sequence to waiting sessions in turn, and to the calls of one session in their order of arrival", async () => {
    const pool = new SequencePool(["a"], 16);
    const order: string[] = [];
    const held = await pool.acquire(PROMPT, "held", never);
    const waiting = ["flood", "flood", "flood", "single"].map((session, call) =>
      pool.acquire(PROMPT, session, never).then((slot) => {
        order.push(`${session} ${call}`);
        pool.release(slot);
      }),
    );
    pool.release(held);
    await Promise.all(waiting);
    expect(order).toEqual(["flood 0", "single 3", "flood 1", "flood 2"]);
  });

  it("counts the calls that run and the calls that wait", async () => {
    const pool = new SequencePool(["a", "b"], 16);
    const [slot] = await Promise.all(["1", "2"].map((key) => pool.acquire(PROMPT, key, never)));
    const controller = new AbortController();
    const third = pool.acquire(PROMPT, "3", controller.signal);
    const fourth = pool.acquire(PROMPT, "4", never);
    expect(pool.load).toEqual({ running: 2, waiting: 2, maxRunning: 2 });
    controller.abort(new Error("gone"));
    await expect(third).rejects.toThrow("gone");
    expect(pool.load).toEqual({ running: 2, waiting: 1, maxRunning: 2 });
    if (slot) pool.release(slot);
    pool.release(await fourth);
    expect(pool.load).toEqual({ running: 1, waiting: 0, maxRunning: 2 });
  });

  it("prefers the sequence whose cache the prompt continues", async () => {
    const pool = new SequencePool(["a", "b", "c"], 16);
    const slots = await Promise.all(["1", "2", "3"].map((key) => pool.acquire(PROMPT, key, never)));
    slots.forEach((slot, index) => slot.cached.append([index, 10, 11]));
    for (const slot of slots) pool.release(slot);
    expect(await pool.acquire(Int32Array.of(1, 10, 11, 12), "x", never)).toBe(slots[1]);
  });

  it("rejects a call that is aborted while it waits, and serves the next one", async () => {
    const pool = new SequencePool(["a"], 16);
    const held = await pool.acquire(PROMPT, "1", never);
    const controller = new AbortController();
    const aborted = pool.acquire(PROMPT, "2", controller.signal);
    const waiting = pool.acquire(PROMPT, "3", never);
    controller.abort(new Error("gone"));
    await expect(aborted).rejects.toThrow("gone");
    pool.release(held);
    expect((await waiting).affinityKey).toBe("3");
  });

  it("rejects a call that was aborted before", async () => {
    const pool = new SequencePool(["a"], 16);
    await expect(pool.acquire(PROMPT, "1", AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect((await pool.acquire(PROMPT, "2", never)).sequence).toBe("a");
  });

  it("rejects waiting calls on drain, and resolves when the last sequence is released", async () => {
    const pool = new SequencePool(["a"], 16);
    const held = await pool.acquire(PROMPT, "1", never);
    const waiting = pool.acquire(PROMPT, "2", never);
    let drained = false;
    const done = pool.drain(new Error("closed")).then(() => (drained = true));
    await expect(waiting).rejects.toThrow("closed");
    expect(drained).toBe(false);
    pool.release(held);
    await done;
  });

  it("drains immediately if nothing runs", async () => {
    await expect(new SequencePool(["a"], 16).drain(new Error("closed"))).resolves.toBeUndefined();
  });
});
