import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { RewardLine } from "../../../src/rollout/subproc/reward-line.js";

/** Returns what is read from the output of a program, which arrives in these chunks. */
async function read(...chunks: readonly (string | Buffer)[]) {
  const stream = new PassThrough();
  const line = new RewardLine(stream);
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  const { value, otherNumbers } = line.end();
  return [value, otherNumbers];
}

it.each<[string, string[], unknown, number]>([
  ["the last line is a number", ["loading\n", "0.5\n"], 0.5, 0],
  ["its last line does not end", ["a\n-1"], -1, 0],
  ["empty lines follow", ["2\n\n  \n"], 2, 0],
  ["the line has spaces around it", ["  3 \r\n"], 3, 0],
  ["the line arrives in pieces", ["a\n0.", "2", "5\n"], 0.25, 0],
  ["it is an object of rewards", ['{"a":1,"b":2}\n'], { a: 1, b: 2 }, 0],
  ["a marked line came before other output", ['{"reward":1}\n7\nbye\n'], 1, 0],
  ["several lines are marked", ['{"reward":1}\n{"reward":2}\n'], 2, 0],
  ["earlier lines are numbers too", ["1\n2\n3\n"], 3, 2],
  ["another field stands beside the reward", ['{"reward":1,"a":2}\n'], { reward: 1, a: 2 }, 0],
])("finds the reward if %s", async (_, chunks, value, otherNumbers) => {
  expect(await read(...chunks)).toEqual([value, otherNumbers]);
});

it.each<[string, string[], number]>([
  ["it is empty", [], 0],
  ["the last line is a text", ["1\nbye\n"], 1],
  ["the last line is JSON of another kind", ["[1]\n"], 0],
  ["the last line only begins like a number", ["1 of 2\n"], 0],
  ["the last line is null", ["null\n"], 0],
])("finds no reward in an output if %s", async (_, chunks, otherNumbers) => {
  expect(await read(...chunks)).toEqual([undefined, otherNumbers]);
});

it("reads lines of up to a mebibyte", async () => {
  const longest = `{"a":"${"x".repeat((1 << 20) - 8)}"}`;
  expect(await read(longest)).toEqual([{ a: "x".repeat((1 << 20) - 8) }, 0]);
  expect(await read(`${longest} `)).toEqual([undefined, 0]);
  expect(await read(longest.slice(0, 1000), longest.slice(1000), " ", "\n")).toEqual([undefined, 0]);
});

it("reads a character that arrives in pieces", async () => {
  const bytes = Buffer.from('{"é":1}\n');
  expect(await read(bytes.subarray(0, 3), bytes.subarray(3))).toEqual([{ é: 1 }, 0]);
});

it("ends at a broken pipe", async () => {
  const stream = new PassThrough();
  const line = new RewardLine(stream);
  stream.write("1\n");
  await new Promise((resolve) => setImmediate(resolve));
  stream.destroy(new Error("broken pipe"));
  await new Promise((resolve) => stream.once("close", resolve));
  expect(line.end()).toEqual({ value: 1, otherNumbers: 0 });
});
