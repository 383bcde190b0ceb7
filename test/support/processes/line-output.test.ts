import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LineOutput } from "../../../src/support/processes/line-output.js";

/** A program whose standard error is a `LineOutput`. It writes 50,000 numbered lines, and tells on standard output when it has. */
const PROGRAM = `
import { LineOutput } from ${JSON.stringify(new URL("../../../dist/support/processes/line-output.js", import.meta.url).href)};
process.stderr;
const output = new LineOutput(2, { describeDropped: (count) => "dropped " + count + "\\n" });
process.on("exit", () => output.flushAtExit());
const count = Number(process.argv[1]);
for (let line = 0; line < count; line++) output.write("line " + line + " " + "x".repeat(100) + "\\n");
console.log("written");
process.stdin.once("data", () => {
  output.write("last\\n");
  process.exit();
});
`;

function start(count: number, stderr: "pipe" | number = "pipe") {
  const args = ["--input-type=module", "-e", PROGRAM, String(count)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", stderr] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const written = new Promise((resolve) => child.stdout?.once("data", resolve));
  return { child, ended, written };
}

it("writes lines that nobody reads into a bounded buffer, and counts what it dropped once they are read", async () => {
  const { child, ended, written } = start(50_000);
  await written;
  let text = "";
  child.stderr?.on("data", (bytes: Buffer) => (text += bytes.toString()));
  await expect.poll(() => text).toMatch(/dropped \d+\n$/);
  child.stdin?.write("end");
  expect(await ended).toBe(0);
  const lines = text.trimEnd().split("\n");
  const [kept, dropped] = [lines.filter((line) => line.startsWith("line ")), /dropped (\d+)/.exec(text)?.[1]];
  expect(kept.length + Number(dropped)).toBe(50_000);
  expect(kept).toEqual(kept.map((_, index) => `line ${index} ${"x".repeat(100)}`));
  expect(lines.at(-1)).toBe("last");
});

it("writes to a pipe that nobody reads without waiting, and ends", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-output-"));
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  // Open for both, so that opening does not wait for another process.
  const fd = openSync(pipe, constants.O_RDWR);
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  const { child, ended, written } = start(50_000, fd);
  await written;
  child.stdin?.write("end");
  expect(await ended).toBe(0);
});

it("ends if nobody reads", async () => {
  const { child, ended, written } = start(50_000);
  child.stderr?.pause();
  await written;
  child.stdin?.write("end");
  expect(await ended).toBe(0);
});

it("writes everything to a file, behind what others write to it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-output-"));
  const fd = openSync(join(folder, "log"), "a");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });
  writeSync(fd, "earlier\n");
  const { child, ended, written } = start(20_000, fd);
  await written;
  child.stdin?.write("end");
  await ended;
  const lines = readFileSync(join(folder, "log"), "utf8").split("\n");
  expect(lines).toHaveLength(20_003);
  expect(lines[0]).toBe("earlier");
});

it("writes everything to a socket whose other end reads", async () => {
  let text = "";
  const server = createServer((socket) => socket.on("data", (bytes) => (text += bytes.toString())));
  const path = join(mkdtempSync(join(tmpdir(), "rolltape-output-")), "socket");
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => void server.close());
  const program = `import socket, subprocess, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=s)
p.stdout.readline(); p.stdin.write(b"end"); p.stdin.flush(); p.wait()`;
  const args = ["-c", program, path, process.execPath, "--input-type=module", "-e", PROGRAM, "2000"];
  const child = spawn("python3", args);
  await new Promise((resolve) => child.once("exit", resolve));
  await expect.poll(() => text.split("\n")).toHaveLength(2002);
  expect(text).toMatch(/\nlast\n$/);
});

describe("in this process", () => {
  const describeDropped = (count: number) => `dropped ${count}\n`;
  const line = (index: number) => `${String(index).padEnd(999)}\n`;
  const MEBIBYTE = 1 << 20;

  /** Returns an output to a pipe, and a function that reads what it holds. */
  function openPipe() {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = mkdtempSync(join(tmpdir(), "rolltape-output-"));
    const path = join(folder, "pipe");
    execFileSync("mkfifo", [path]);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    onTestFinished(() => {
      closeSync(writer);
      rmSync(folder, { recursive: true });
    });
    const bytes = Buffer.alloc(MEBIBYTE);
    const read = () => {
      try {
        return bytes.toString("utf8", 0, readSync(reader, bytes));
      } catch {
        return "";
      }
    };
    return { output: new LineOutput(writer, { describeDropped }), read, close: () => closeSync(reader) };
  }

  it("writes at once if the reader reads, also bytes and parts of a line", () => {
    const { output, read, close } = openPipe();
    output.write("one ");
    output.write(Buffer.from("line\n"));
    output.write("");
    expect(read()).toBe("one line\n");
    expect(vi.getTimerCount()).toBe(0);
    close();
  });

  it("keeps a mebibyte, writes it when the reader reads again, and then says once how many lines it dropped", () => {
    const { output, read, close } = openPipe();
    const count = 1200;
    for (let index = 0; index < count; index++) output.write(line(index));
    let text = read();
    const inPipe = text.length;
    for (let piece = text; vi.getTimerCount() > 0 || piece !== ""; text += piece) {
      vi.advanceTimersByTime(50);
      piece = read();
    }
    const kept = Math.floor(text.length / 1000);
    expect(text).toBe(Array.from({ length: kept }, (_, index) => line(index)).join("") + describeDropped(count - kept));
    expect(kept * 1000 - inPipe).toBeLessThanOrEqual(MEBIBYTE);
    expect(kept * 1000 - inPipe).toBeGreaterThan(MEBIBYTE - 1000);
    output.write("later\n");
    expect(read()).toBe("later\n");
    close();
  });

  it("keeps a line that fills its buffer to the last byte", () => {
    const { output, read, close } = openPipe();
    while (vi.getTimerCount() === 0) output.write(line(0));
    output.write("x".repeat(MEBIBYTE - 1001) + "\n");
    let text = "";
    for (let piece = read(); vi.getTimerCount() > 0 || piece !== ""; piece = read()) {
      text += piece;
      vi.advanceTimersByTime(50);
    }
    expect(text).toMatch(/x\n$/);
    close();
  });

  it("tries again after a pause, and writes what waits at the end of the process if the reader reads", () => {
    const { output, read, close } = openPipe();
    for (let index = 0; index < 100; index++) output.write(line(index));
    const before = read();
    vi.advanceTimersByTime(49);
    expect(read()).toBe("");
    output.flushAtExit();
    expect(before + read()).toBe(Array.from({ length: 100 }, (_, index) => line(index)).join(""));
    close();
  });

  it("gives up at the end of the process if the reader does not read, and writes nothing once it is gone", () => {
    const { output, read, close } = openPipe();
    for (let index = 0; index < 100; index++) output.write(line(index));
    output.flushAtExit();
    expect(read().length % 1000).toBe(0);
    close();
    output.flushAtExit();
    vi.advanceTimersByTime(50);
    output.write("later\n");
    expect(vi.getTimerCount()).toBe(0);
  });
});
