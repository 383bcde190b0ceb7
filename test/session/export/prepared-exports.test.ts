import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PreparedExports } from "../../../src/session/export/prepared-exports.js";

const HOLD_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Exports that are held, and what became of each. */
function held(count: number): { exports: PreparedExports; ids: string[]; outcomes: string[] } {
  const exports = new PreparedExports();
  const outcomes: string[] = [];
  const ids = Array.from({ length: count }, (_, index) => {
    const settle = (outcome: string) => void outcomes.push(`${index} ${outcome}`);
    return exports.hold({ packed: undefined, sessions: [], settle }, HOLD_MS);
  });
  return { exports, ids, outcomes };
}

describe("a prepared export", () => {
  it.each(["taken", "held", "left"] as const)("is %s when it is settled so, and its timer ends", (outcome) => {
    const { exports, ids, outcomes } = held(1);
    expect(exports.settle(String(ids[0]), outcome)).toBeDefined();
    expect([outcomes, exports.size, vi.getTimerCount()]).toEqual([[`0 ${outcome}`], 0, 0]);
  });

  it("is left when its caller says nothing in time", () => {
    const { exports, outcomes } = held(1);
    vi.advanceTimersByTime(HOLD_MS - 1);
    expect([outcomes, exports.size]).toEqual([[], 1]);
    vi.advanceTimersByTime(1);
    expect([outcomes, exports.size]).toEqual([["0 left"], 0]);
  });

  it("is settled once: a second outcome, or one that comes too late, is refused", () => {
    const { exports, ids, outcomes } = held(2);
    exports.settle(String(ids[0]), "taken");
    expect(exports.settle(String(ids[0]), "left")).toBeUndefined();
    vi.advanceTimersByTime(HOLD_MS);
    expect(exports.settle(String(ids[1]), "taken")).toBeUndefined();
    expect(outcomes).toEqual(["0 taken", "1 left"]);
  });

  it("is left when the server closes, and its timer ends", () => {
    const { exports, outcomes } = held(2);
    exports.close();
    expect([outcomes, exports.size, vi.getTimerCount()]).toEqual([["0 left", "1 left"], 0, 0]);
  });

  it("is not known by another id", () => {
    const { exports, ids, outcomes } = held(2);
    expect(new Set(ids).size).toBe(2);
    expect(exports.settle("another", "taken")).toBeUndefined();
    expect(outcomes).toEqual([]);
  });
});
