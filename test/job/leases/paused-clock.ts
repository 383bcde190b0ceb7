import { onTestFinished, vi } from "vitest";

/** Replaces `performance.now()` by a clock that the test moves, until it ends. */
export function pausedClock(): { now: number } {
  const clock = { now: 1_000_000 };
  const replaced = vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  onTestFinished(() => replaced.mockRestore());
  return clock;
}
