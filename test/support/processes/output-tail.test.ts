import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { OutputTail } from "../../../src/support/processes/output-tail.js";

async function tailOf(text: string, limit: number): Promise<string> {
  const stream = new PassThrough();
  const tail = new OutputTail(stream, limit);
  stream.write(text);
  await setImmediate();
  return tail.text;
}

describe("the tail of an output", () => {
  it("is all of it without white space at its ends, if it is short", async () => {
    expect(await tailOf("one\ntwo\n", 100)).toBe("one\ntwo");
  });

  it("begins with a whole line, and says that there was more", async () => {
    expect(await tailOf("first line\nsecond line\nthird line\n", 26)).toBe("…\nsecond line\nthird line");
    expect(await tailOf("one\ntwo\nthree\n", 10)).toBe("…\ntwo\nthree");
  });

  it("keeps the end of a line that is longer than the limit", async () => {
    expect(await tailOf("abcdefgh", 3)).toBe("…fgh");
    expect(await tailOf("äöü", 3)).toBe("…ü");
  });
});
