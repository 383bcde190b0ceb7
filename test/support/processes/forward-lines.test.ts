import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { forwardLines } from "../../../src/support/processes/forward-lines.js";

/** A process's output, and what was written of it to this process's standard error. */
function forwarded() {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => spy.mockRestore());
  const output = new PassThrough();
  return { output, written, flush: forwardLines(output) };
}

describe("the forwarded output of a process", () => {
  it("is written in whole lines", async () => {
    const { output, written } = forwarded();
    output.write("one\ntw");
    output.write("o\n");
    await setImmediate();
    expect(written).toEqual(["one\n", "two\n"]);
  });

  it("has a line break after its last line, so that other output does not continue it", async () => {
    const { output, written } = forwarded();
    output.end("one\ntwo");
    await setImmediate();
    expect(written).toEqual(["one\n", "two\n"]);
  });

  it("is written without waiting for the end of a line that is longer than 64 KiB", async () => {
    const { output, written } = forwarded();
    output.write("x".repeat(1 << 16));
    await setImmediate();
    expect(written).toEqual([]);
    output.write("x");
    await setImmediate();
    expect(written).toEqual(["x".repeat((1 << 16) + 1)]);
    output.destroy(new Error("broken pipe"));
    await setImmediate();
    expect(written).toHaveLength(1);
  });

  it("is flushed once if nobody waits for its end", async () => {
    const { output, written, flush } = forwarded();
    output.write("one");
    await setImmediate();
    expect(written).toEqual([]);
    flush();
    flush();
    output.end();
    await setImmediate();
    expect(written).toEqual(["one\n"]);
  });
});
