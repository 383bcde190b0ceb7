import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Waiters } from "../../../src/support/async/waiters.js";

const FOREVER = Number.POSITIVE_INFINITY;

describe("waiters", () => {
  it("all resume with true when they are woken", async () => {
    const waiters = new Waiters();
    const all = [waiters.wait(FOREVER), waiters.wait(FOREVER)];
    waiters.wake();
    expect(await Promise.all(all)).toEqual([true, true]);
  });

  it("resume with false after their time", async () => {
    expect(await new Waiters().wait(1)).toBe(false);
  });

  it("resume with false when the signal aborts, or is already aborted", async () => {
    const waiters = new Waiters();
    const controller = new AbortController();
    const waiting = waiters.wait(FOREVER, controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    expect(await waiters.wait(FOREVER, controller.signal)).toBe(false);
  });

  it("leave no timer, which would keep the process running, when they are woken", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const waiters = new Waiters();
    const waiting = waiters.wait(1000);
    expect(vi.getTimerCount()).toBe(1);
    waiters.wake();
    expect(vi.getTimerCount()).toBe(0);
    expect(await waiting).toBe(true);
  });

  it("leave no listener on the signal", async () => {
    const waiters = new Waiters();
    const { signal } = new AbortController();
    const waiting = waiters.wait(FOREVER, signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    waiters.wake();
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });
});
