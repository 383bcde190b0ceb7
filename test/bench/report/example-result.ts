import { type BenchResult, RESULT_SCHEMA } from "../../../bench/report/result.js";
import { toTextTable } from "../../../bench/report/tables.js";

/** A valid result with one table of one row. */
export function exampleResult(overrides: Partial<BenchResult> = {}): BenchResult {
  return {
    schema: RESULT_SCHEMA,
    bench: "open",
    date: "2026-11-24T10:00:00.000Z",
    seconds: 60.5,
    commit: { id: "0123abcd", changed: true },
    machine: { cpu: "A processor", cores: 2, memoryBytes: 8 * 2 ** 30, system: "Linux 6.1", node: "v20.20.2" },
    options: { size: "short", arguments: ["--minutes", "1"] },
    tables: [toTextTable("open", ["what", "measured"], [["calls open", "9,700"]])],
    ...overrides,
  };
}
