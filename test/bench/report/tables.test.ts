import { describe, expect, it } from "vitest";
import type { Row } from "../../../bench/export/row.js";
import { toMeasurementTable, toTextTable } from "../../../bench/report/tables.js";

const VERDICT = { value: 2.1618, target: 1.5, bound: "at most", unit: "x" } as const;
const ROW: Row = { what: "a turn", measured: "last 3.31 ms", reference: "first 1.53 ms", verdict: VERDICT };

function convert(row: Row) {
  const [converted] = toMeasurementTable("proxy", [row]).rows;
  if (!converted) throw new Error("the table has no row");
  return converted;
}

describe("a row of a measurement", () => {
  it("keeps its printed text, its numbers, and its target", () => {
    expect(convert(ROW)).toEqual({
      name: "a turn",
      cells: ["a turn", "last 3.31 ms", "first 1.53 ms", "2.16x", "≤ 1.5x", "not met"],
      quantities: { measured: [{ value: 3.31, unit: "ms" }], reference: [{ value: 1.53, unit: "ms" }] },
      ratio: 2.1618,
      verdict: { ...VERDICT, met: false },
    });
  });

  it("has the ratio of a share in percent", () => {
    expect(convert({ ...ROW, verdict: { ...VERDICT, value: 35.8, unit: "%" } }).ratio).toBeCloseTo(0.358);
  });

  it("has the ratio of its first numbers if the verdict is not a ratio", () => {
    const { what, measured, reference } = ROW;
    expect(convert({ what, measured, reference }).ratio).toBeCloseTo(3.31 / 1.53);
  });

  it.each([
    ["of other units", "3 ms", "3 MB"],
    ["that is 0", "3 ms", "0 ms"],
    ["that is missing", "3 ms", ""],
  ])("has no ratio to a reference %s", (_, measured, reference) => {
    expect(convert({ what: "a turn", measured, reference })).not.toHaveProperty("ratio");
  });

  it("has no value if nothing could be measured", () => {
    const { verdict, ratio, cells } = convert({ ...ROW, measured: "", verdict: { ...VERDICT, value: Number.NaN } });
    expect(verdict).toMatchObject({ value: null, met: false });
    expect(ratio).toBeUndefined();
    expect(JSON.parse(JSON.stringify(cells))).toEqual(cells);
  });
});

describe("a row of texts", () => {
  it("is named by its first cell, and has the numbers of the others by column", () => {
    const { rows } = toTextTable("abuse", ["abuse", "answers", "p50 (ms)"], [["4,096 messages", "none", "4.7, 8.7"]]);
    expect(rows).toEqual([
      {
        name: "4,096 messages",
        cells: ["4,096 messages", "none", "4.7, 8.7"],
        quantities: {
          "p50 (ms)": [
            { value: 4.7, unit: "ms" },
            { value: 8.7, unit: "ms" },
          ],
        },
      },
    ]);
  });
});
