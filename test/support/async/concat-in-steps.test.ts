import { expect, it } from "vitest";
import { concatInSteps } from "../../../src/support/async/concat-in-steps.js";

it.each([
  ["no piece", []],
  ["one piece", [5]],
  ["short pieces", [1, 0, 70_000, 3]],
  ["pieces longer than a step", [3_000_000, 10, 1 << 20, 2_500_000]],
])("joins pieces like Buffer.concat, one mebibyte in each step: %s", (_, lengths) => {
  const pieces = lengths.map((length, i) => Buffer.alloc(length, i + 1));
  const size = lengths.reduce((sum, length) => sum + length, 0);
  const steps = concatInSteps(pieces);
  let count = 1;
  let step = steps.next();
  for (; !step.done; count++) step = steps.next();
  expect(step.value.equals(Buffer.concat(pieces))).toBe(true);
  expect(count).toBe(lengths.length === 1 ? 1 : Math.max(1, Math.ceil(size / (1 << 20))));
});
