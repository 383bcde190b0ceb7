import { describe, expect, it } from "vitest";
import { nameLines } from "../../../src/cli/serve-workers/proxy-worker-process.js";

const named = (line: string) => {
  let written = "";
  nameLines("worker-1", { write: (text) => void (written += text) }).write(line);
  return written;
};

describe("the log of a worker", () => {
  it("has the worker's name as a field of each line", () => {
    const line = `${JSON.stringify({ level: 30, msg: "ready" })}\n`;
    expect(JSON.parse(named(line))).toEqual({ worker: "worker-1", level: 30, msg: "ready" });
    expect(named(line).endsWith("\n")).toBe(true);
  });

  it("has the name before text that is not a log line", () => {
    expect(named("    at foo (bar.js:1)\n")).toBe("worker-1:     at foo (bar.js:1)\n");
    expect(named("{}\n")).toBe("worker-1: {}\n");
  });
});
