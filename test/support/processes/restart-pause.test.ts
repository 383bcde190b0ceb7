import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pauseBeforeRestart } from "../../../src/support/processes/restart-pause.js";

describe("the pause before a restart", () => {
  it("doubles with each restart, up to half a minute", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    const pauses: number[] = [];
    for (const restarts of [0, 1, 2, 20]) {
      const began = Date.now();
      const pausing = pauseBeforeRestart(restarts, signal);
      await vi.runAllTimersAsync();
      expect(await pausing).toBe(true);
      pauses.push(Date.now() - began);
    }
    expect(pauses).toEqual([250, 500, 1000, 30_000]);
  });

  it("ends immediately, without a restart, when the signal aborts", async () => {
    const controller = new AbortController();
    const pausing = pauseBeforeRestart(20, controller.signal);
    controller.abort();
    expect(await pausing).toBe(false);
  });
});
