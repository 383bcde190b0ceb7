import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

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
  const { child, ended, written } = start(20_000, fd);
  await written;
  child.stdin?.write("end");
  await ended;
  expect(readFileSync(join(folder, "log"), "utf8").split("\n")).toHaveLength(20_002);
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
