import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { backoffMilliseconds } from "../../../src/support/async/backoff.js";
import { sleep } from "../../../src/support/async/sleep.js";

const HOUR_MS = 3_600_000;

describe("sleep", () => {
  it("resolves after its time and leaves no listener", async () => {
    const { signal } = new AbortController();
    await sleep(1, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("rejects with the signal's own reason if the signal aborts first", async () => {
    const controller = new AbortController();
    const reason = new Error("gone");
    const sleeping = sleep(HOUR_MS, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });

  it("leaves no timer, which would keep the process running, if the signal aborts", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const sleeping = sleep(HOUR_MS, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error("gone"));
    expect(vi.getTimerCount()).toBe(0);
    await expect(sleeping).rejects.toThrow("gone");
  });

  it("rejects with the reason if the signal is already aborted", async () => {
    const reason = new Error("gone");
    await expect(sleep(HOUR_MS, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("backoffMilliseconds", () => {
  it("doubles from the first wait up to the longest", () => {
    const backoff = { firstMilliseconds: 250, longestMilliseconds: 1500 };
    expect([0, 1, 2, 3, 2000].map((earlier) => backoffMilliseconds(earlier, backoff))).toEqual([
      250, 500, 1000, 1500, 1500,
    ]);
  });
});
