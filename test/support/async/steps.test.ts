import { expect, it } from "vitest";
import { endsStep, runAtOnce, type Steps } from "../../../src/support/async/steps.js";

it("runs all steps and returns their result", () => {
  const done: number[] = [];
  function* count(): Steps<string> {
    for (let index = 0; index < 3; index++) {
      done.push(index);
      yield;
    }
    return "counted";
  }
  expect([runAtOnce(count()), done]).toEqual(["counted", [0, 1, 2]]);
});

it("ends a step after as many items as it has, and none before the first item", () => {
  const ends = Array.from({ length: 8 }, (_, index) => index).filter((index) => endsStep(index, 3));
  expect(ends).toEqual([3, 6]);
});
