import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";
import type { LogFileOptions } from "../../src/native/contract.js";
import { mountSmallDisk } from "../helpers/small-disk.js";

const UNIT_BYTES = 4096;
const REMOVED = 0xffff_ffff;
const LOG = Buffer.from("log id 8");

interface Change {
  readonly table: number;
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-log-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "file");
}

function openFile(path: string, options: Partial<LogFileOptions> = {}) {
  const file = new native.LogFile(path, { log: LOG, segment: 7, synced: true, ...options });
  const append = (place: { at: number; number?: number; before?: number }, changes: readonly Change[]) =>
    file.append(
      { number: 0, before: 0, ...place },
      Uint8Array.from(changes, (change) => change.table),
      changes.map((change) => change.key),
      changes.map((change) => change.value),
    );
  return { append, release: () => file.release() };
}

const change = (key: string, value?: string | Buffer, table = 0): Change => ({
  table,
  key: Buffer.from(key),
  value: value === undefined ? undefined : Buffer.from(value),
});

/** Returns the fields and changes of the record at `at`, and where the zeros after its changes begin. */
function decode(bytes: Buffer, at = 0) {
  const length = bytes.readUInt32LE(at + 36);
  const end = at + 40 + length;
  const changes: Change[] = [];
  for (let from = at + 40; from < end; ) {
    const keyEnd = from + 8 + bytes.readUInt16LE(from + 2);
    const valueLength = bytes.readUInt32LE(from + 4);
    const valueEnd = keyEnd + (valueLength === REMOVED ? 0 : valueLength);
    const value = valueLength === REMOVED ? undefined : bytes.subarray(keyEnd, valueEnd);
    expect(bytes.readUInt8(from + 1)).toBe(0);
    changes.push({ table: bytes.readUInt8(from), key: bytes.subarray(from + 8, keyEnd), value });
    from = Math.ceil(valueEnd / 8) * 8;
    expect(bytes.subarray(valueEnd, from).every((byte) => byte === 0)).toBe(true);
  }
  return {
    magic: bytes.toString("latin1", at, at + 4),
    isIntact: bytes.readUInt32LE(at + 4) === slowCrc32c(bytes.subarray(at + 8, end)),
    log: bytes.subarray(at + 8, at + 16),
    segment: bytes.readBigUInt64LE(at + 16),
    before: bytes.readBigUInt64LE(at + 24),
    number: bytes.readUInt32LE(at + 32),
    changes,
    end,
  };
}

/** One bit at a time, as the polynomial is defined. */
function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f6_3b78 : 0);
  }
  return ~crc >>> 0;
}

function keysAt(path: string, ...ats: number[]): string[] {
  const bytes = readFileSync(path);
  return ats.flatMap((at) => decode(bytes, at).changes.map(({ key }) => key.toString()));
}

describe("LogFile", () => {
  it("writes a record with its place and changes, padded with zeros", async () => {
    const path = newPath();
    const file = openFile(path, { segment: 2 ** 40 + 1 });
    const changes = [
      change("", "", 255),
      change("key", Buffer.alloc(5000, "v"), 3),
      change("removed"),
      change("k".repeat(65_535), "long"),
    ];
    await file.append({ at: UNIT_BYTES, number: 2 ** 32 - 1, before: 2 ** 53 - 1 }, changes);
    file.release();
    const bytes = readFileSync(path);
    const { end, ...record } = decode(bytes, UNIT_BYTES);
    expect(record).toEqual({
      magic: "RTLG",
      isIntact: true,
      log: LOG,
      segment: 2n ** 40n + 1n,
      before: 2n ** 53n - 1n,
      number: 2 ** 32 - 1,
      changes,
    });
    expect(bytes.subarray(0, UNIT_BYTES).every((byte) => byte === 0)).toBe(true);
    expect(bytes.subarray(end).every((byte) => byte === 0)).toBe(true);
  });

  it.each([true, false])("writes records at their places, in the order of the calls (synced: %s)", async (synced) => {
    const path = newPath();
    const file = openFile(path, { synced });
    await Promise.all([
      file.append({ at: 0 }, [change("overwritten"), change("b")]),
      file.append({ at: UNIT_BYTES }, [change("d")]),
      file.append({ at: 0 }, [change("c")]),
    ]);
    expect(keysAt(path, 0, UNIT_BYTES)).toEqual(["c", "d"]);
    file.release();
  });

  it("writes the bytes that keys and values had when it was called", async () => {
    const path = newPath();
    const file = openFile(path);
    const key = Buffer.from("key");
    const value = Buffer.alloc(100_000, "a");
    const written = file.append({ at: 0 }, [{ table: 0, key, value }]);
    key.fill("b");
    value.fill("b");
    await written;
    const { isIntact, changes } = decode(readFileSync(path));
    expect(isIntact).toBe(true);
    expect(changes.map((read) => read.key.toString())).toEqual(["key"]);
    expect(changes[0]?.value?.equals(Buffer.alloc(100_000, "a"))).toBe(true);
    file.release();
  });

  it("gives the file space in steps of 1 MiB, so that most records do not change its size", async () => {
    const path = newPath();
    const file = openFile(path);
    await file.append({ at: 0 }, [change("a")]);
    expect(statSync(path).size).toBe(2 ** 20);
    await file.append({ at: 2 ** 20 - UNIT_BYTES }, [change("b")]);
    expect(statSync(path).size).toBe(2 ** 20);
    await file.append({ at: 2 ** 20 }, [change("c", Buffer.alloc(2 ** 21))]);
    expect(statSync(path).size).toBe(2 ** 22);
    expect(keysAt(path, 0, 2 ** 20 - UNIT_BYTES, 2 ** 20)).toEqual(["a", "b", "c"]);
    file.release();
  });

  it("creates a file that only its owner can read, and keeps the content of an existing one", async () => {
    const path = newPath();
    const file = openFile(path);
    await file.append({ at: 0 }, [change("a")]);
    file.release();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const copy = newPath();
    writeFileSync(copy, readFileSync(path), { mode: 0o644 });
    openFile(copy).release();
    expect(keysAt(copy, 0)).toEqual(["a"]);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
  });

  it("rejects a record that the file does not accept, and then accepts others", async () => {
    const file = openFile("/dev/full");
    for (let n = 0; n < 2; n++) {
      await expect(file.append({ at: 0 }, [change("a")])).rejects.toMatchObject({
        code: "ERR_WRITE_FAILED",
        message: "the disk refused a write: No space left on device",
      });
    }
    file.release();
  });

  it("rejects a record for which the disk has no space before it writes any of its bytes", async ({ skip }) => {
    const disk = mountSmallDisk(2);
    if (!disk) return skip("only root may mount a small file system");
    onTestFinished(() => disk.remove());
    const path = join(disk.folder, "file");
    const file = openFile(path);
    await file.append({ at: 0 }, [change("a")]);
    await expect(file.append({ at: UNIT_BYTES }, [change("b", Buffer.alloc(2 ** 21, "b"))])).rejects.toMatchObject({
      code: "ERR_WRITE_FAILED",
      message: "the disk refused a write: No space left on device",
    });
    expect(readFileSync(path).includes("b")).toBe(false);
    disk.grow(8);
    await file.append({ at: UNIT_BYTES }, [change("b", Buffer.alloc(2 ** 21, "b"))]);
    expect(keysAt(path, 0, UNIT_BYTES)).toEqual(["a", "b"]);
    file.release();
  });

  it("release waits for the records so far, and refuses later ones", async () => {
    const path = newPath();
    const file = openFile(path);
    const written = file.append({ at: 0 }, [change("a")]);
    file.release();
    file.release();
    expect(keysAt(path, 0)).toEqual(["a"]);
    await written;
    await expect(file.append({ at: 0 }, [change("b")])).rejects.toMatchObject({ code: "ERR_RELEASED" });
  });

  it("refuses wrong arguments", async () => {
    expect(() => openFile("/missing/file")).toThrow("path: expected a file that can be opened");
    expect(() => openFile(newPath(), { log: Buffer.alloc(7) })).toThrow("log: expected an id of 8 bytes");
    expect(() => openFile(newPath(), { segment: -1 })).toThrow("segment: expected an integer");
    const path = newPath();
    const options = { log: LOG, segment: 0, synced: true };
    const file = new native.LogFile(path, options);
    const place = { at: 0, number: 0, before: 0 };
    const key = Buffer.from("a");
    const table = Uint8Array.of(0);
    const refused = [
      file.append({ ...place, at: -1 }, table, [key], [key]),
      file.append({ ...place, number: 2 ** 32 }, table, [key], [key]),
      file.append({ ...place, before: 0.5 }, table, [key], [key]),
      file.append(place, table, [], [key]),
      file.append(place, table, [key], []),
      file.append(place, table, [Buffer.alloc(65_536)], [key]),
      file.append(place, table, ["a" as never], [key]),
      file.append(place, table, [key], [null as never]),
    ];
    for (const call of refused) await expect(call).rejects.toMatchObject({ code: "ERR_INVALID_ARG" });
    file.release();
    expect(statSync(path).size).toBe(0);
  });

  it("lets its thread end in the middle of writes", async () => {
    const script = `
      const { createRequire } = require("node:module");
      const native = createRequire(process.cwd() + "/")(${JSON.stringify(join(process.cwd(), "build/Release/rolltape.node"))});
      const options = { log: Buffer.alloc(8), segment: 0, synced: true };
      const file = new native.LogFile(${JSON.stringify(newPath())}, options);
      const values = [Buffer.alloc(8000)];
      for (let n = 0; n < 200; n++)
        void file.append({ at: n * 8192, number: n, before: 0 }, Uint8Array.of(0), [Buffer.from("key")], values);
      require("node:worker_threads").parentPort.postMessage("writing");
      setInterval(() => {}, 1000);
    `;
    for (let n = 0; n < 5; n++) {
      const worker = new Worker(script, { eval: true });
      await new Promise((resolve) => worker.once("message", resolve));
      expect(await worker.terminate()).toBe(1);
    }
  });
});

describe("crc32c", () => {
  it("returns the CRC-32C of bytes, and of joined bytes with the checksum of the first as seed", () => {
    expect(native.crc32c(Buffer.from("123456789"))).toBe(0xe306_9283);
    expect(native.crc32c(Buffer.from("6789"), native.crc32c(Buffer.from("12345")))).toBe(0xe306_9283);
    expect(native.crc32c(Buffer.alloc(0), 5)).toBe(5);
  });

  it("refuses wrong arguments", () => {
    expect(() => native.crc32c("a" as never)).toThrow("bytes: expected a Uint8Array");
    expect(() => native.crc32c(Buffer.alloc(0), -1)).toThrow("seed: expected an integer");
  });
});

/** Runs `work` while no file of this process may become larger than `bytes`. A write that crosses the limit is done in part. */
async function withFileLimit(bytes: number, work: () => Promise<void>): Promise<void> {
  const setLimit = (limit: number | string) =>
    execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${limit}:`]);
  setLimit(bytes);
  try {
    await work();
  } finally {
    setLimit("unlimited");
  }
}

const canLimit = process.platform === "linux" && spawnSync("prlimit", ["--version"]).status === 0;

it.skipIf(!canLimit)(
  "leaves nothing of a record that was written in part, so that a shorter one can take its place",
  async () => {
    const path = newPath();
    const file = openFile(path);
    await file.append({ at: 0 }, [change("a", "first")]);
    const large = [change("b", Buffer.alloc(2 ** 22, "large"))];
    await withFileLimit(2 ** 21, async () => {
      await expect(file.append({ at: UNIT_BYTES, number: 1 }, large)).rejects.toMatchObject({
        code: "ERR_WRITE_FAILED",
      });
    });
    expect(statSync(path).size).toBe(UNIT_BYTES);
    await file.append({ at: UNIT_BYTES, number: 1 }, [change("c", "short")]);
    file.release();
    const bytes = readFileSync(path);
    expect(decode(bytes, UNIT_BYTES)).toMatchObject({ isIntact: true, changes: [change("c", "short")] });
    expect(bytes.subarray(2 * UNIT_BYTES).every((byte) => byte === 0)).toBe(true);
  },
);
