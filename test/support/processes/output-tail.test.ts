import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { appendTail, OutputTail, removeTail } from "../../../src/support/processes/output-tail.js";

async function readTail(text: string, limit: number): Promise<string> {
  const stream = new PassThrough();
  const tail = new OutputTail(stream, limit);
  stream.write(text);
  await setImmediate();
  return tail.text;
}

describe("the tail of an output", () => {
  it("is all of it without white space at its ends, if it is short", async () => {
    expect(await readTail("one\ntwo\n", 100)).toBe("one\ntwo");
  });

  it("begins with a whole line, and says that there was more", async () => {
    expect(await readTail("first line\nsecond line\nthird line\n", 26)).toBe("…\nsecond line\nthird line");
    expect(await readTail("one\ntwo\nthree\n", 10)).toBe("…\ntwo\nthree");
  });

  it("keeps the end of a line that is longer than the limit", async () => {
    expect(await readTail("abcdefgh", 3)).toBe("…fgh");
    expect(await readTail("abcdefgh\n", 4)).toBe("…fgh");
    expect(await readTail("äöü", 3)).toBe("…ü");
    expect(await readTail("abc", 3)).toBe("abc");
  });

  it("is empty after it was cleared or ended, and counts all bytes", async () => {
    const stream = new PassThrough();
    const tail = new OutputTail(stream, 10);
    const write = async (text: string) => {
      stream.write(text);
      await setImmediate();
      return tail.text;
    };
    await write("one");
    tail.clear();
    expect(await write("two")).toBe("two");
    tail.end();
    expect(await write("three")).toBe("");
    expect(tail.received).toBe(11);
    stream.destroy(new Error("broken pipe"));
  });
});

describe("an error message with the tail of an output", () => {
  it("ends with the tail, which can be removed again", () => {
    const message = appendTail("It ended with status 1.", "line\n");
    expect(message).toBe("It ended with status 1. Its standard error ends with:\nline\n");
    expect(removeTail(message, "line\n")).toBe("It ended with status 1.");
  });

  it("is the sentence alone if there was no output", () => {
    expect(appendTail("It ended with status 1.", "")).toBe("It ended with status 1.");
    expect(removeTail("It ended with status 1.", "")).toBe("It ended with status 1.");
  });
});
