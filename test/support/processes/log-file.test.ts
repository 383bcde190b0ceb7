import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeLogEnd, logLength } from "../../../src/support/processes/log-file.js";

function logFile(text?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "log-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "engine-0.err");
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

describe("the end of a log", () => {
  it("is its last five lines", () => {
    const file = logFile("1\n2\n3\n4\n5\n6\n");
    expect(describeLogEnd(file, 0)).toBe(`Its log, ${file}, ends with:\n2\n3\n4\n5\n6`);
  });

  it("leaves out what an earlier process wrote", () => {
    const file = logFile("earlier\nlater\n");
    expect(describeLogEnd(file, "earlier\n".length)).toBe(`Its log, ${file}, ends with:\nlater`);
    expect(describeLogEnd(file, logLength(file))).toBe(`It wrote nothing to its log, ${file}.`);
  });

  it("is searched in the last 4096 bytes", () => {
    const file = logFile(`${"x".repeat(5000)}\nlast\n`);
    expect(describeLogEnd(file, 0)).toBe(`Its log, ${file}, ends with:\n${"x".repeat(4090)}\nlast`);
  });

  it("is empty if the log has become shorter, or has white space only", () => {
    const file = logFile(" \n\n");
    for (const from of [0, 100]) expect(describeLogEnd(file, from)).toBe(`It wrote nothing to its log, ${file}.`);
  });

  it("is empty if there is no log", () => {
    const file = logFile();
    expect(logLength(file)).toBe(0);
    expect(describeLogEnd(file, 0)).toBe(`It wrote nothing to its log, ${file}.`);
  });
});
