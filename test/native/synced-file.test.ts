import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-synced-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "file");
}

it("writes bytes at their offsets, in the order of the calls", async () => {
  const path = newPath();
  const file = new native.SyncedFile(path);
  await Promise.all([
    file.write(Buffer.from("aaaa"), 0),
    file.write(Buffer.from("bb"), 1),
    file.write(Buffer.from("c"), 6),
    file.write(Buffer.alloc(0), 100),
  ]);
  expect(readFileSync(path, "latin1")).toBe("abba\0\0c");
  file.release();
});

it("writes the bytes that the buffer had when it was called", async () => {
  const path = newPath();
  const file = new native.SyncedFile(path);
  const bytes = Buffer.alloc(1 << 20, "a");
  const written = file.write(bytes, 0);
  bytes.fill("b");
  await written;
  expect(readFileSync(path).every((byte) => byte === 97)).toBe(true);
  file.release();
});

it("creates a file that only its owner can read, and keeps the content of an existing one", async () => {
  const path = newPath();
  const file = new native.SyncedFile(path);
  await file.write(Buffer.from("a"), 0);
  file.release();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  new native.SyncedFile(path).release();
  expect(readFileSync(path, "latin1")).toBe("a");
});

it("rejects a write that the file does not accept, and then accepts others", async () => {
  const file = new native.SyncedFile("/dev/full");
  for (let n = 0; n < 2; n++) {
    await expect(file.write(Buffer.from("a"), 0)).rejects.toMatchObject({
      code: "ERR_WRITE_FAILED",
      message: "the disk refused a write: No space left on device",
    });
  }
  file.release();
});

it("release waits for the writes so far, and refuses later ones", async () => {
  const path = newPath();
  const file = new native.SyncedFile(path);
  const written = file.write(Buffer.from("a"), 0);
  file.release();
  file.release();
  expect(readFileSync(path, "latin1")).toBe("a");
  await written;
  await expect(file.write(Buffer.from("b"), 0)).rejects.toMatchObject({ code: "ERR_RELEASED" });
});

it("refuses wrong arguments", async () => {
  expect(() => new native.SyncedFile("/missing/file")).toThrow("path: expected a file that can be opened");
  const file = new native.SyncedFile(newPath());
  await expect(file.write(Buffer.from("a"), -1)).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
  await expect(file.write("a" as never, 0)).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
  file.release();
});

it("lets its thread end in the middle of writes", async () => {
  const path = newPath();
  const script = `
    const { createRequire } = require("node:module");
    const native = createRequire(process.cwd() + "/")(${JSON.stringify(join(process.cwd(), "build/Release/rolltape.node"))});
    const file = new native.SyncedFile(${JSON.stringify(path)});
    for (let n = 0; n < 200; n++) void file.write(Buffer.alloc(8192), n * 8192);
    require("node:worker_threads").parentPort.postMessage("writing");
    setInterval(() => {}, 1000);
  `;
  for (let n = 0; n < 5; n++) {
    const worker = new Worker(script, { eval: true });
    await new Promise((resolve) => worker.once("message", resolve));
    expect(await worker.terminate()).toBe(1);
  }
});
