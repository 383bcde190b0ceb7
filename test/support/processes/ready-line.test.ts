import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { printReadyLine, readFirstLine, waitForReadyLine } from "../../../src/support/processes/ready-line.js";

const URL = "http://127.0.0.1:8000";

function outputFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "ready-line-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "proxy-0.out");
}

/** The descriptor of the folder itself is closed by the time it is looked up. */
function attemptReadlink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

describe("a ready line", () => {
  it("is one line of JSON with the event, the fields and the pid", () => {
    const written: string[] = [];
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
    onTestFinished(() => spy.mockRestore());
    printReadyLine({ url: URL, workers: 2 });
    const line = `{"event":"ready","url":"${URL}","workers":2,"pid":${process.pid}}\n`;
    expect(written).toEqual([line]);
    const elsewhere: string[] = [];
    printReadyLine({ url: URL, workers: 2 }, (text) => void elsewhere.push(text));
    expect([written.length, elsewhere]).toEqual([1, [line]]);
  });

  it("is awaited in a file that does not exist yet, until the line is complete", async () => {
    const file = outputFile();
    const { signal } = new AbortController();
    const url = waitForReadyLine(file, signal);
    appendFileSync(file, `{"event":"ready","url":`);
    appendFileSync(file, `"${URL}"}\n`);
    expect(await url).toBe(URL);
    const open = readdirSync("/proc/self/fd").map((fd) => attemptReadlink(`/proc/self/fd/${fd}`));
    expect(open).not.toContain(file);
  });

  it.each(["no JSON", `{"url":"no address"}`, `{"event":"ready"}`])("is not %s", async (line) => {
    const file = outputFile();
    appendFileSync(file, `${line}\n{"url":"${URL}"}\n`);
    const reason = new Error("not ready in time");
    const controller = new AbortController();
    const url = waitForReadyLine(file, controller.signal);
    controller.abort(reason);
    await expect(url).rejects.toBe(reason);
  });
});

describe("the first line of an output", () => {
  it("is read, and the rest is discarded", async () => {
    const output = new PassThrough();
    const line = readFirstLine(output);
    output.write("first\nsecond\n");
    expect(await line).toBe("first");
    output.write("third\n");
    await new Promise((resolve) => setImmediate(resolve));
    expect(output.readableLength).toBe(0);
  });

  it("is undefined if the output ends without one", async () => {
    const output = new PassThrough();
    const line = readFirstLine(output);
    output.end();
    expect(await line).toBeUndefined();
  });
});
