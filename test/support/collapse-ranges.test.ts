import { expect, it } from "vitest";
import { collapseRanges } from "../../src/support/collapse-ranges.js";

it.each([
  [[], [1, 2, 3, 4, 5, 6]],
  [[{ offset: 0, length: 3 }], [1, 4, 5, 6]],
  [[{ offset: 4, length: 2 }], [1, 2, 3, 4, 5]],
  [
    [
      { offset: 1, length: 1 },
      { offset: 2, length: 3 },
    ],
    [1, 2, 3, 6],
  ],
])("keeps the first id of each range of %j", (ranges, collapsed) => {
  expect([...collapseRanges(Int32Array.of(1, 2, 3, 4, 5, 6), ranges)]).toEqual(collapsed);
});
