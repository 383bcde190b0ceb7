import { expect, it } from "vitest";
import { describeExamples, type Example, readExamples } from "../../../src/cli/rollout/examples.js";

const example = (name: Example["name"], reward: number, rest: Partial<Example> = {}): Example => ({
  name,
  reward,
  turns: 2,
  sessionId: "s-1",
  answer: "yes",
  ...rest,
});

it("are lines of the summary, and how to see more", () => {
  const examples = [example("best", 1.23456, { turns: 1 }), example("median", 0.5), example("worst", -1)];
  expect(describeExamples({ path: "out/a.transcript", examples })).toEqual([
    ["best", "1.235  1 turn, s-1: yes"],
    ["median", "0.5    2 turns, s-1: yes"],
    ["worst", "-1     2 turns, s-1: yes"],
    ["view", "rolltape view out/a.transcript"],
  ]);
  expect(describeExamples({ path: "it's here", examples: [] })).toEqual([["view", "rolltape view 'it'\\''s here'"]]);
});

it("are none without a transcript, or if it cannot be read", async () => {
  expect(await readExamples(undefined)).toBeUndefined();
  expect(await readExamples({ path: undefined } as never)).toBeUndefined();
  expect(await readExamples({ path: "/no/such/transcript" } as never)).toEqual({
    path: "/no/such/transcript",
    examples: [],
  });
});
