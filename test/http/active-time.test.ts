import { describe, expect, it } from "vitest";
import { ActiveTime } from "../../src/http/active-time.js";

const CHECK_MS = 1000;

/** Checks at the given times, in milliseconds. */
function checkAt(...times: readonly number[]): ActiveTime {
  let now = 0;
  const activeTime = new ActiveTime(CHECK_MS, 120_000, () => now);
  for (now of times) activeTime.check();
  return activeTime;
}

describe("ActiveTime", () => {
  it("measures no pause while checks come in time, or a little late", () => {
    expect(checkAt(0, 1000, 2400, 3400).measurePaused(120_000)).toBe(0);
  });

  it("measures the time since the check before a late one", () => {
    expect(checkAt(0, 1000, 61_000).measurePaused(15_000)).toBe(60_000);
  });

  it("counts several pauses, with the active time between them", () => {
    const times = [0, 60_000, 61_000, 62_000, 122_000];
    expect(checkAt(...times).measurePaused(15_000)).toBe(120_000);
    expect(checkAt(...times).measurePaused(1500)).toBe(60_000);
  });

  it("does not count a pause that was over before the given active time", () => {
    expect(checkAt(0, 60_000, 61_000, 62_000).measurePaused(15_000)).toBe(60_000);
    expect(checkAt(0, 60_000, 61_000, 62_000).measurePaused(1000)).toBe(0);
  });
});
