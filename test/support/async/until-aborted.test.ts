import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { untilAborted } from "../../../src/support/async/until-aborted.js";

const pending = new Promise<never>(() => undefined);

describe("untilAborted", () => {
  it("settles as the work does and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(untilAborted(Promise.reject(new Error("failed")), signal)).rejects.toThrow("failed");
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects with the signal's reason if the signal aborts first", async () => {
    const controller = new AbortController();
    const waiting = untilAborted(pending, controller.signal);
    controller.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("rejects if the signal is already aborted", async () => {
    await expect(untilAborted(pending, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  });

  it("swallows an error of the work that comes after the abort", async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<never>((_, reject) => (fail = reject));
    await expect(untilAborted(work, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    // Without a handler the test run would fail with an unhandled rejection.
    fail(new Error("late"));
    await expect(work).rejects.toThrow("late");
  });
});
