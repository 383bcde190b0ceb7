import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scrollToRow, slotOrder, virtualRange } from "../../../src/view/page/state/virtual-range.js";

const list = fc.record({
  rows: fc.nat(100_000),
  rowHeight: fc.integer({ min: 1, max: 200 }),
  height: fc.integer({ min: 1, max: 4000 }),
  top: fc.integer({ min: -200, max: 5_000_000 }),
});

describe("a virtual list", () => {
  it("renders all rows in view, and few more", () => {
    fc.assert(
      fc.property(list, fc.nat(20), (view, margin) => {
        const { first, end } = virtualRange(view, margin);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(view.rows);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(view.height / view.rowHeight) + 1 + 2 * margin);
        const top = Math.max(0, view.top);
        const seen = Array.from(
          { length: Math.min(view.rows, 4500) },
          (_, at) => at + Math.floor(top / view.rowHeight),
        ).filter(
          (row) => row < view.rows && row * view.rowHeight < top + view.height && (row + 1) * view.rowHeight > top,
        );
        expect(seen.every((row) => row >= first && row < end)).toBe(true);
      }),
    );
  });

  it("scrolls by the smallest distance that shows a row", () => {
    const view = { rowHeight: 20, height: 200, top: 1000 };
    expect(scrollToRow(50, view)).toBe(1000);
    expect(scrollToRow(49, view)).toBe(980);
    expect(scrollToRow(59, view)).toBe(1000);
    expect(scrollToRow(60, view)).toBe(1020);
  });
});

describe("the order of slots", () => {
  const window = fc.record({ first: fc.nat(10_000), pool: fc.integer({ min: 1, max: 60 }) });

  it("has each row once", () => {
    fc.assert(
      fc.property(window, fc.nat(60), ({ first, pool }, count) => {
        const end = first + Math.min(count, pool);
        expect(slotOrder(first, end, pool).toSorted((a, b) => a - b)).toEqual(slotOrder(first, end, Infinity));
      }),
    );
  });

  it("keeps the slots in one order, so that no element moves when rows are replaced", () => {
    fc.assert(
      fc.property(window, ({ first, pool }) => {
        const slots = slotOrder(first, first + pool, pool).map((row) => row % pool);
        expect(slots).toEqual(Array.from({ length: pool }, (_, slot) => slot));
      }),
    );
  });
});
