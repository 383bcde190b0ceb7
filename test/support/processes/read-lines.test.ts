import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readLines } from "../../../src/support/processes/read-lines.js";

/** Returns the lines of an output with these pieces; undefined stands for a line over the limit. */
async function linesOf(pieces: readonly string[], limit = 5): Promise<(string | undefined)[]> {
  const output = new PassThrough();
  const lines: (string | undefined)[] = [];
  readLines(output, limit, (line) => lines.push(line));
  for (const piece of pieces) output.write(piece);
  output.end();
  await new Promise((resolve) => output.on("close", resolve));
  return lines;
}

it.each([
  [["a\nbc\n"], ["a", "bc"]],
  [
    ["a\nb", "c", "\n\nd"],
    ["a", "bc", "", "d"],
  ],
  [["12345\n123456\n1\n"], ["12345", undefined, "1"]],
  [
    ["123", "456\n", "123456"],
    [undefined, undefined],
  ],
  [[], []],
])("splits %j into lines", async (pieces, lines) => {
  expect(await linesOf(pieces)).toEqual(lines);
});

it("survives an output that breaks", async () => {
  const output = new PassThrough();
  const lines: (string | undefined)[] = [];
  readLines(output, 5, (line) => lines.push(line));
  output.write("a\nb");
  await new Promise((resolve) => setImmediate(resolve));
  output.destroy(new Error("broken pipe"));
  await new Promise((resolve) => output.on("close", resolve));
  expect(lines).toEqual(["a"]);
});
