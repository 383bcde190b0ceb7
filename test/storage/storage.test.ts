import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { native } from "../../src/native/addon.js";
import { sessionKey } from "../../src/session/stored/keys.js";
import { type Change, EntryBlocks, Storage, StorageReader } from "../../src/storage/index.js";
import { Log } from "../../src/storage/log/log.js";
import { permissions } from "../../src/support/private-files.js";
import { mountSmallDisk } from "../helpers/small-disk.js";
import { crash, head, newFolder, openStorage, readAll, record } from "./stored-folder.js";

const listKeys = (storage: Storage, prefix?: string) =>
  [...storage.keys("meta", prefix === undefined ? undefined : Buffer.from(prefix))].map((key) =>
    key.toString("latin1"),
  );
const value = (name: string, text?: string): Change => {
  return { table: "meta", key: Buffer.from(name, "latin1"), value: text === undefined ? undefined : Buffer.from(text) };
};

test("has all flushed changes after the folder is opened again", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([record(1, 0, "one"), record(1, 1, "two"), head(1, "head")]);
  await storage.flushed();
  storage.write([record(1, 1)]);
  await storage.close();
  const again = await openStorage(directory);
  expect(Object.values(readAll(again))).toEqual(["head", "one"]);
});

test("refuses a key that its table cannot have, before it is written", async () => {
  const storage = await openStorage(newFolder());
  const write = (table: Change["table"], key: Buffer) => () => storage.write([{ table, key, value: Buffer.of() }]);
  expect(write("meta", Buffer.alloc(0))).toThrow("A key of the table meta must have 1 to 2048 bytes; received 0.");
  expect(write("leases", Buffer.alloc(2049))).toThrow(
    "A key of the table leases must have 1 to 2048 bytes; received 2049.",
  );
  expect(write("sessions", Buffer.alloc(7))).toThrow("A key of the table sessions must have 6 bytes; received 7.");
  expect(write("records", Buffer.alloc(11, 255))).toThrow(
    "A key of the table records must name a kind below 8; received 255.",
  );
  write("meta", Buffer.alloc(2048))();
  await storage.committed();
  await storage.close();
  await expect(storage.committed()).rejects.toMatchObject({ code: "storage_failed" });
});

test("lists keys with a prefix in ascending order", async () => {
  const storage = await openStorage(newFolder());
  storage.write(["a", "ab", "aÿ", "b", "ac"].map((key) => value(key, "")));
  await storage.committed();
  expect(listKeys(storage, "a")).toEqual(["a", "ab", "ac", "aÿ"]);
  expect(listKeys(storage)).toEqual(["a", "ab", "ac", "aÿ", "b"]);
});

test("creates a folder that only its owner can read", async () => {
  const directory = join(newFolder(), "new", "storage");
  await openStorage(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  const { folder } = permissions;
  onTestFinished(() => void (permissions.folder = folder));
  // As in a job whose other files are shared with its group.
  permissions.folder = 0o750;
  const other = join(directory, "other");
  await openStorage(other);
  expect(statSync(other).mode & 0o777).toBe(0o700);
});

test("creates files that only their owner can read", async () => {
  const directory = newFolder();
  const modes = () => readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  expect(modes()).toEqual(["manifest", "rolltape.lock", "segment-00000001.log"].map((name) => [name, 0o600]));
  await storage.close();
  const closed = ["manifest", "rolltape.lock", "segment-00000001.index", "segment-00000001.log"];
  expect(modes()).toEqual(closed.map((name) => [name, 0o600]));
});

test("changes no file until something is written", async () => {
  const directory = newFolder();
  const read = () => readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "latin1")]);
  await (await openStorage(directory)).close();
  expect(read()).toEqual([["rolltape.lock", ""]]);
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  const crashed = crash(directory);
  const files = readdirSync(crashed).map((name) => [name, readFileSync(join(crashed, name), "latin1")]);
  await (await openStorage(crashed)).close();
  expect(readdirSync(crashed).map((name) => [name, readFileSync(join(crashed, name), "latin1")])).toEqual(files);
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

test("refuses a folder of an earlier version by its file", async () => {
  const directory = newFolder();
  writeFileSync(join(directory, "data.mdb"), "");
  await expect(openStorage(directory)).rejects.toThrow("has sessions of an earlier version of Rolltape (data.mdb)");
});

test("refuses a folder of a later version", async () => {
  const directory = newFolder();
  const json = JSON.stringify({ format: 2, log: "00", first: 1, last: 0, end: null });
  writeFileSync(
    join(directory, "manifest"),
    `${json}\n${native.crc32c(Buffer.from(json)).toString(16).padStart(8, "0")}\n`,
  );
  await expect(openStorage(directory)).rejects.toThrow("was written by another version of Rolltape");
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

test("refuses a path that is a file, or is below one", async () => {
  const path = join(newFolder(), "file");
  writeFileSync(path, "");
  const unusable = { code: "storage_unusable", param: "storage.directory" };
  await expect(openStorage(path)).rejects.toMatchObject({
    ...unusable,
    message: `storage.directory ${path} is a file. Choose a folder.`,
  });
  await expect(openStorage(join(path, "a"))).rejects.toMatchObject({
    ...unusable,
    message: expect.stringMatching(/ cannot be created: ENOTDIR/) as string,
  });
});

test("leaves the permissions of a folder that exists as they are", async () => {
  const directory = newFolder();
  chmodSync(directory, 0o750);
  await openStorage(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o750);
});

test("reads the values of keys into a block, and leaves out keys without a value", async () => {
  const storage = await openStorage(newFolder());
  storage.write([value("a", "one"), value("b", "two")]);
  await storage.committed();
  const block = new EntryBlocks().take();
  storage.readInto(
    block,
    "meta",
    ["b", "c", "a"].map((name) => Buffer.from(name)),
  );
  expect(block.entries().map(({ key, value }) => `${key.toString()}: ${value.toString()}`)).toEqual([
    "b: two",
    "a: one",
  ]);
});

test("rejects writes to a full disk, keeps flushed changes, and writes again when the disk has room", async ({
  skip,
}) => {
  const disk = mountSmallDisk(4);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const storage = await openStorage(disk.folder);
  let written = 0;
  const fill = async () => {
    for (; written < 1000; written++) {
      storage.write([record(1, written, Buffer.alloc(20_000, written))]);
      await storage.flushed();
    }
  };
  await expect(fill()).rejects.toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: the disk is full.",
  });
  expect(storage.failure).toBeDefined();
  expect([...storage.range("records")].length).toBe(written);
  disk.grow(8);
  await expect.poll(() => storage.failure, { timeout: 10_000 }).toBeUndefined();
  await storage.committed();
  expect([...storage.range("records")].map(({ value }) => value[19_999])).toEqual(
    Array.from({ length: written + 1 }, (_, n) => n & 0xff),
  );
  await storage.close();
});

test.each(["manifest", "manifest.new", "segment-00000001.log", "segment-00000001.index", "rolltape.lock"])(
  "refuses a folder whose %s is a link, a named pipe or a folder, by its name",
  async (name) => {
    const target = join(newFolder(), "target");
    writeFileSync(target, "kept");
    const kinds = [
      ["a symbolic link", (path: string) => symlinkSync(target, path)],
      ["a named pipe", (path: string) => void execFileSync("mkfifo", [path])],
      ["a folder", (path: string) => mkdirSync(path)],
    ] as const;
    for (const [kind, plant] of kinds) {
      const directory = newFolder();
      const storage = await openStorage(directory);
      storage.write([head(1, "a")]);
      await storage.close();
      rmSync(join(directory, name), { force: true });
      plant(join(directory, name));
      const refusal = `has a ${name} that is ${kind}`;
      await expect(openStorage(directory)).rejects.toThrow(refusal);
      expect(() => StorageReader.open(directory)).toThrow(refusal);
    }
    expect(readFileSync(target, "utf8")).toBe("kept");
  },
);

const SEGMENT = "segment-00000001.log";

test("reports the size of its records, and of the values that are in use", async () => {
  const storage = await openStorage(newFolder());
  expect(storage.readSize()).toEqual({ fileBytes: 0, usedBytes: 0 });
  storage.write([record(1, 0, "x".repeat(5000)), head(1, "a")]);
  await storage.flushed();
  const { fileBytes, usedBytes } = storage.readSize();
  expect(fileBytes).toBe(2 * 4096);
  expect(usedBytes).toBeGreaterThan(5000);
  expect(usedBytes).toBeLessThan(5300);
  storage.write([record(1, 0)]);
  await storage.flushed();
  // Head and its key of 6 bytes, after 8 bytes of their lengths.
  expect(storage.readSize()).toEqual({ fileBytes: 3 * 4096, usedBytes: 16 });
});

test("says why the disk refuses a write, which need not be that it is full", async () => {
  const storage = await openStorage(newFolder());
  const append = vi.spyOn(Log.prototype, "append").mockRejectedValueOnce(new Error("no such device"));
  onTestFinished(() => append.mockRestore());
  storage.write([head(1, "a")]);
  await expect(storage.flushed()).rejects.toMatchObject({
    code: "storage_failed",
    message: "The server cannot write to its storage: no such device.",
  });
});

test.each([
  ["call", true],
  ["interval", true],
  ["none", false],
] as const)("with durability %s, forces the files to the disk: %s", async (durability, isForced) => {
  const directory = newFolder();
  const handle = await open(directory);
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
  onTestFinished(() => sync.mockRestore());
  await handle.close();
  const storage = await Storage.open({ directory, durability });
  storage.write([head(1, "a")]);
  await storage.committed();
  await storage.close();
  expect(sync.mock.calls.length > 0).toBe(isForced);
});

test("tells listeners how long answers wait for the disk, until they are removed", async () => {
  const storage = await openStorage(newFolder());
  const waits: number[] = [];
  const remove = storage.onWait((seconds) => waits.push(seconds));
  storage.write([head(1, "a")]);
  await storage.flushed();
  expect(waits).toEqual([expect.any(Number)]);
  expect(waits[0]).toBeGreaterThan(0);
  // Not longer than this process has run.
  expect(waits[0]).toBeLessThan(performance.now() / 1000);
  remove();
  await storage.flushed();
  expect(waits).toHaveLength(1);
});

test("tells about each second how many segments were read", async () => {
  const directory = newFolder();
  for (const text of ["a", "b", "c"]) {
    const storage = await openStorage(directory);
    storage.write([head(1, text)]);
    await storage.close();
  }
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 500));
  onTestFinished(() => clock.mockRestore());
  const read: number[][] = [];
  const storage = await Storage.open({ directory, durability: "call", onRead: (...counts) => read.push(counts) });
  await storage.close();
  expect(read).toEqual([[2, 3]]);
});

/** Opens a folder with one value, whose file is changed before it is read. */
async function openChanged(change: (path: string) => void) {
  const directory = newFolder();
  const before = await openStorage(directory);
  before.write([head(1, "a")]);
  await before.close();
  const storage = await openStorage(directory);
  change(join(directory, SEGMENT));
  return { directory, storage };
}

test("refuses to read a value whose file is gone, by the name of the file", async () => {
  const { storage } = await openChanged((path) => rmSync(path));
  expect(() => storage.get("sessions", sessionKey(1))).toThrow(`${SEGMENT} is missing`);
  expect(storage.get("sessions", sessionKey(2))).toBeUndefined();
});

test("fails a read that the disk refuses, with the reason", async () => {
  const { storage } = await openChanged((path) => {
    rmSync(path);
    mkdirSync(path);
  });
  expect(() => storage.get("sessions", sessionKey(1))).toThrow(
    expect.objectContaining({
      code: "storage_failed",
      message: "The server cannot read its storage: EISDIR: illegal operation on a directory, read.",
    }) as Error,
  );
});

test.each([
  ["does not exist", (folder: string) => rmSync(folder, { recursive: true })],
  ["is not a folder", (folder: string) => (rmSync(folder, { recursive: true }), writeFileSync(folder, ""))],
  ["has no file manifest: no server stored sessions there", () => undefined],
  [
    "has no file manifest, but its folders 2, 10 do. Name one of them",
    (folder: string) => {
      for (const name of ["10", "2", "other"]) mkdirSync(join(folder, name));
      for (const name of ["10", "2"]) writeFileSync(join(folder, name, "manifest"), "");
    },
  ],
  [
    "has sessions of an earlier version of Rolltape (data.mdb). Export them with that version, or use another folder",
    (folder: string) => writeFileSync(join(folder, "data.mdb"), ""),
  ],
])("a reader refuses a folder that %s", (problem, change) => {
  const folder = newFolder();
  change(folder);
  const refusal = expect.objectContaining({
    code: "storage_unusable",
    message: `storage.directory ${folder} ${problem}.`,
  }) as Error;
  expect(() => StorageReader.open(folder)).toThrow(refusal);
  expect(() => StorageReader.openForChange(folder)).toThrow(refusal);
});

test("a reader beside a server knows it, and one that changes files keeps servers out until it is closed", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  using beside = StorageReader.open(directory);
  expect([beside.isLive, beside.directory, beside.lastSegment]).toEqual([true, directory, 1]);
  expect(beside.get("sessions", sessionKey(1))?.toString()).toBe("a");
  expect(() => StorageReader.openForChange(directory)).toThrow("is open in another process. Stop the server first.");
  await storage.close();
  const changing = StorageReader.openForChange(directory);
  expect([changing.isLive, changing.damage]).toEqual([false, []]);
  await expect(openStorage(directory)).rejects.toThrow("is open in another process");
  changing.close();
  using after = StorageReader.open(directory);
  expect([after.isLive, after.listFiles()]).toEqual([false, ["segment-00000001.index", "segment-00000001.log"]]);
  await openStorage(directory);
});
