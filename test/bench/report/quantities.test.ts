import { describe, expect, it } from "vitest";
import { readQuantities } from "../../../bench/report/quantities.js";

describe("the numbers of a cell", () => {
  it.each([
    ["1,372/s, p50 0.63 ms, CPU 0.61 ms a call", [1372, "/s", 0.63, "ms", 0.61, "ms"]],
    ["41.92 GB/s, 285 MB, 0 page faults", [41.92, "GB/s", 285, "MB", 0, ""]],
    ["+2.01 ms (3.05x)", [2.01, "ms", 3.05, "x"]],
    ["-0.58 ms", [-0.58, "ms"]],
    ["16.8 M slots, 8.9 M tokens in 6.8 ms", [16.8, "M", 8.9, "M", 6.8, "ms"]],
    ["p99 2.0 ms, max 5.0 ms", [2, "ms", 5, "ms"]],
    ["1,015, 2,055", [1015, "", 2055, ""]],
    ["32K tokens in 2.5 s, 8x", [32, "K", 2.5, "s", 8, "x"]],
    ["8,000 streams", [8000, ""]],
    ["100%", [100, "%"]],
    ["200, 503 server_busy", [200, "", 503, ""]],
    ["POST /v1/responses, base64, OpenAI's SDK", []],
    ["not measured", []],
    ["", []],
  ])("of %j have the units behind them", (text, expected) => {
    expect(readQuantities(text).flatMap(({ value, unit }) => [value, unit])).toEqual(expected);
  });

  it("take the unit of the column if they have none", () => {
    expect(readQuantities("5.0, 11.1", "worst stall (ms)")).toEqual([
      { value: 5, unit: "ms" },
      { value: 11.1, unit: "ms" },
    ]);
    expect(readQuantities("3 s", "time (ms)")).toEqual([{ value: 3, unit: "s" }]);
  });
});
