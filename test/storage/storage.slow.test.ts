import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { inspectFileSystem, requireWrites } from "../../src/storage/file-system.js";
import { openForReading } from "../../src/storage/live-storage.js";
import { Storage } from "../../src/storage/storage.js";
import { mountSmallDisk } from "../helpers/small-disk.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-storage-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function openStorage(directory: string): Promise<Storage> {
  const storage = await Storage.open({ directory, durability: "call" });
  cleanups.push(() => storage.close());
  return storage;
}

const bytes = (text: string) => Buffer.from(text);
const listKeys = (storage: Storage, prefix = "") =>
  [...storage.range("records", bytes(prefix))].map(({ key }) => key.toString());

test("has all flushed changes after the folder is opened again", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([
    { table: "records", key: bytes("a1"), value: bytes("one") },
    { table: "records", key: bytes("a2"), value: bytes("two") },
    { table: "sessions", key: bytes("a"), value: bytes("head") },
  ]);
  await storage.flushed();
  storage.write([{ table: "records", key: bytes("a1"), value: undefined }]);
  await storage.close();
  const again = await openStorage(directory);
  expect(listKeys(again)).toEqual(["a2"]);
  expect(again.get("sessions", bytes("a"))?.toString()).toBe("head");
});

test("refuses a key that LMDB does not accept before it is in the log", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  for (const key of ["", "k".repeat(1979)]) {
    expect(() => storage.write([{ table: "records", key: bytes(key), value: bytes("") }])).toThrow(
      `A key of the storage must have 1 to 1978 bytes; received ${key.length}.`,
    );
  }
  storage.write([{ table: "records", key: bytes("k".repeat(1978)), value: bytes("") }]);
  await storage.committed();
  await storage.close();
  await expect(storage.committed()).rejects.toMatchObject({ code: "storage_failed" });
});

test("a range has the keys with its prefix, in ascending order", async () => {
  const storage = await openStorage(newFolder());
  const keys = ["a", "ab", "aÿ", "b", "ac"];
  storage.write(keys.map((key) => ({ table: "records", key: bytes(key), value: bytes("") })));
  await storage.committed();
  expect(listKeys(storage, "a")).toEqual(["a", "ab", "ac", "aÿ"]);
  expect([...storage.keys("records", bytes("a"))]).toHaveLength(4);
});

test("creates a folder that only its owner can read", async () => {
  const directory = join(newFolder(), "new", "storage");
  await openStorage(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("all files of the folder can be read by their owner only, also those of an earlier version", async () => {
  const directory = newFolder();
  const modes = () =>
    readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777] as const);
  const first = await openStorage(directory);
  const names = ["data.log-0", "data.log-1", "data.mdb", "data.mdb-lock", "data.mdb.commit-state", "rolltape.lock"];
  const owned = names.map((name) => [name, 0o600]);
  expect(modes()).toEqual(owned);
  await first.close();
  expect(modes().map(([name]) => name)).toEqual(["data.mdb", "data.mdb-lock", "rolltape.lock"]);
  for (const [name] of modes()) chmodSync(join(directory, name), 0o644);
  chmodSync(join(directory, "rolltape.lock"), 0o600);
  await openStorage(directory);
  expect(modes()).toEqual(owned);
});

test("refuses a folder that another storage has open", async () => {
  const directory = newFolder();
  await openStorage(directory);
  await expect(openStorage(directory)).rejects.toMatchObject({
    code: "storage_unusable",
    message: `storage.directory ${directory} is open in another process. Use another folder: each server needs its own.`,
  });
});

test("opens a folder whose process was killed", async () => {
  const directory = newFolder();
  const script = `import { Storage } from "./src/storage/storage.ts";
    await Storage.open({ directory: ${JSON.stringify(directory)}, durability: "call" });
    console.log("open"); setInterval(() => {}, 1000);`;
  const child = spawn("node_modules/.bin/tsx", ["--input-type=module", "-e", script], { detached: true });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  await expect(openStorage(directory)).rejects.toMatchObject({ code: "storage_unusable" });
  process.kill(-(child.pid ?? 0), "SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  await openStorage(directory);
});

test("refuses a data file that LMDB did not write", async () => {
  const directory = newFolder();
  writeFileSync(join(directory, "data.mdb"), "not a database".repeat(1000));
  await expect(openStorage(directory)).rejects.toMatchObject({ code: "storage_unusable" });
});

test.each([
  ["/proc/x", "proc"],
  ["/proc", "proc"],
  ["/sys/x/y", "sysfs"],
  ["/dev/x", "/dev"],
])("refuses %s, which is not on a disk", async (directory, name) => {
  await expect(openStorage(directory)).rejects.toMatchObject({
    code: "storage_unusable",
    message: `storage.directory ${directory} is on a file system without a disk (${name}). Use a folder on a local disk.`,
  });
  expect(existsSync("/dev/x")).toBe(false);
});

test("refuses a path that is a file", async () => {
  const path = join(newFolder(), "file");
  writeFileSync(path, "");
  await expect(openStorage(path)).rejects.toMatchObject({ code: "storage_unusable" });
});

test("does not take a local folder for a network file system", async () => {
  expect(await inspectFileSystem(newFolder())).toMatchObject({ network: undefined });
});

test("rejects writes to a full disk, keeps flushed changes, and writes again when the disk has room", async ({
  skip,
}) => {
  const disk = mountSmallDisk(4);
  if (!disk) return skip("only root may mount a small file system");
  cleanups.push(() => disk.remove());
  const directory = disk.folder;
  const storage = await openStorage(directory);
  const key = (n: number) => Buffer.from([n >> 8, n & 0xff]);
  let written = 0;
  const fill = async () => {
    for (; written < 1000; written++) {
      storage.write([{ table: "records", key: key(written), value: Buffer.alloc(20_000, written) }]);
      await storage.flushed();
    }
  };
  await expect(fill()).rejects.toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: the disk is full.",
  });
  expect(storage.failure).toBeDefined();
  await expect.poll(() => [...storage.range("records")].length).toBe(written);
  disk.grow(8);
  await expect.poll(() => storage.failure, { timeout: 10_000 }).toBeUndefined();
  await storage.committed();
  expect([...storage.range("records")].map(({ value }) => value[19_999])).toEqual(
    Array.from({ length: written + 1 }, (_, n) => n & 0xff),
  );
});

test("refuses a file that lost its end", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  const values = Array.from({ length: 50 }, (_, n) => Buffer.alloc(20_000, n + 1));
  storage.write(values.map((value, n) => ({ table: "records", key: Buffer.from([n]), value })));
  await storage.close();
  truncateSync(join(directory, "data.mdb"), 500_000);
  await expect(openStorage(directory)).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringMatching(
      /has a damaged file data\.mdb: the file is truncated.*`rolltape storage verify`/,
    ) as string,
  });
});

test.each([
  "data.mdb",
  "data.mdb-lock",
  "data.mdb.compact",
  "data.mdb.commit-state",
  "data.mdb.failed-sync",
  "data.log-0",
  "data.log-1",
  "rolltape.lock",
])("refuses a folder whose %s is a link or a named pipe, by its name", async (name) => {
  const target = join(newFolder(), "target");
  writeFileSync(target, "kept");
  const kinds = [
    ["a symbolic link", (path: string) => symlinkSync(target, path)],
    ["a named pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ] as const;
  for (const [kind, plant] of kinds) {
    const directory = newFolder();
    await (await openStorage(directory)).close();
    rmSync(join(directory, name), { force: true });
    plant(join(directory, name));
    const refusal = `has a ${name} that is ${kind}`;
    await expect(openStorage(directory)).rejects.toThrow(refusal);
    expect(() => openForReading(directory)).toThrow(refusal);
  }
  expect(readFileSync(target, "utf8")).toBe("kept");
});

test("refuses a folder whose file is a hard link to the file of an open folder", async () => {
  const [first, second] = [newFolder(), newFolder()];
  await openStorage(first);
  linkSync(join(first, "data.mdb"), join(second, "data.mdb"));
  await expect(openStorage(second)).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringContaining("is a link to the file of another folder, which a process has open"),
  });
});

test("a disk that refuses writes is noticed before LMDB is asked again, and no file is left", ({ skip }) => {
  const disk = mountSmallDisk(1);
  if (!disk) return skip("only root may mount a small file system");
  cleanups.push(() => disk.remove());
  const path = join(disk.folder, "data.mdb");
  requireWrites(path);
  expect(() => writeFileSync(path, Buffer.alloc(2 ** 21))).toThrow(/ENOSPC/);
  expect(() => requireWrites(path)).toThrow(/ENOSPC/);
  expect(readdirSync(disk.folder)).toEqual(["data.mdb"]);
});
