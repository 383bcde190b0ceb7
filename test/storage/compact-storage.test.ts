import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import {
  type Change,
  type Compaction,
  type CompactOptions,
  compactStorage,
  Storage,
  StorageReader,
} from "../../src/storage/index.js";
import { Log } from "../../src/storage/log/log.js";
import { mountSmallDisk } from "../helpers/small-disk.js";
import { record } from "./stored-folder.js";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "rolltape-compact-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const records = (count: number, value: Buffer | undefined): Change[] =>
  Array.from({ length: count }, (_, i) => record(i, 0, value));
const keys = (storage: Storage) => [...storage.keys("records")].map((key) => key.readUIntBE(0, 6));

async function compact(folder: string, options: CompactOptions = { keepOriginal: false }): Promise<Compaction> {
  using storage = StorageReader.openForChange(folder);
  return await compactStorage(storage, options);
}

/** Writes 500 values and removes 400 of them. */
async function fill(): Promise<void> {
  const storage = await Storage.open({ directory, durability: "call" });
  storage.write(records(500, Buffer.alloc(9000, 1)));
  await storage.committed();
  storage.write(records(400, undefined));
  storage.write([{ table: "meta", key: Buffer.from("name"), value: Buffer.from("value") }]);
  await storage.close();
}

test("gives the space of removed values back and keeps everything else", async () => {
  await fill();
  const { before, after } = await compact(directory);
  expect(after.fileBytes).toBeLessThan(before.fileBytes / 3);
  const files = readdirSync(directory).toSorted();
  expect(files).toEqual(["manifest", "rolltape.lock", "segment-00000002.index", "segment-00000002.log"]);
  for (const name of files) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "segment-00000002.log")).size).toBe(after.fileBytes);
  const storage = await Storage.open({ directory, durability: "call" });
  expect(keys(storage)).toEqual(Array.from({ length: 100 }, (_, i) => 400 + i));
  expect(storage.get("meta", Buffer.from("name"))?.toString()).toBe("value");
  storage.write(records(10, Buffer.from("new")));
  await storage.close();
  const again = await Storage.open({ directory, durability: "call" });
  expect(keys(again)).toHaveLength(110);
  await again.close();
});

test("writes each value once, in records of up to 4 MiB", async () => {
  const storage = await Storage.open({ directory, durability: "call" });
  storage.write(records(3, Buffer.alloc(2 ** 21, 1)));
  await storage.close();
  const { after } = await compact(directory);
  // Each of the two records has less than a page beside its values.
  expect(after.fileBytes).toBe(3 * 2 ** 21 + 2 * 4096);
});

test("leaves the folder as it was if the copy cannot be written", async () => {
  await fill();
  const files = readdirSync(directory).toSorted();
  const isKept = () => {
    throw new Error("no choice");
  };
  await expect(compact(directory, { isKept, keepOriginal: false })).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringMatching(/cannot be compacted: no choice\. Its sessions were not changed/),
  });
  expect(readdirSync(directory).toSorted()).toEqual(files);
});

test("refuses a copy that differs from what was read, and leaves the folder as it was", async () => {
  await fill();
  const files = readdirSync(directory).toSorted();
  const { append } = Object.getOwnPropertyDescriptors(Log.prototype);
  const lossy = vi.spyOn(Log.prototype, "append").mockImplementation(async function (this: Log, changes) {
    await (append.value as Log["append"]).call(this, changes.slice(1));
  });
  onTestFinished(() => lossy.mockRestore());
  await expect(compact(directory)).rejects.toThrow(
    "the copy differs from what was written (table meta). Check the disk",
  );
  expect(readdirSync(directory).toSorted()).toEqual(files);
});

test("has the copied files on disk before the manifest names them, and removes the original files after that", async () => {
  await fill();
  const [old, copied] = [1, 2].map((number) => join(directory, `segment-0000000${number}.log`)) as [string, string];
  const manifest = join(directory, "manifest");
  const before = readFileSync(manifest, "utf8");
  const states: object[] = [];
  const handle = await open(manifest);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const sync = vi.spyOn(prototype, "sync").mockImplementation(async () => {
    const isNamed = readFileSync(manifest, "utf8") !== before;
    const isWriting = existsSync(`${manifest}.new`);
    states.push({ isCopied: existsSync(copied), isWriting, isNamed, isKept: existsSync(old) });
  });
  onTestFinished(() => sync.mockRestore());
  await compact(directory);
  const moved = { isCopied: true, isWriting: false, isNamed: false, isKept: true };
  expect(states).toContainEqual(moved);
  expect(states.at(-1)).toEqual({ ...moved, isNamed: true, isKept: false });
});

test("compacts a folder without values", async () => {
  const storage = await Storage.open({ directory, durability: "call" });
  storage.write(records(1, Buffer.from("a")));
  await storage.committed();
  storage.write(records(1, undefined));
  await storage.close();
  await compact(directory);
  const again = await Storage.open({ directory, durability: "call" });
  expect(keys(again)).toEqual([]);
  await again.close();
});

test.each(["before its files were moved", "when half of its files were moved"])(
  "a server ignores a compaction that was killed %s, and removes it",
  async (when) => {
    await fill();
    // The copy of another folder stands for one that was not finished.
    const other = mkdtempSync(join(tmpdir(), "rolltape-compact-"));
    onTestFinished(() => rmSync(other, { recursive: true }));
    const copied = await Storage.open({ directory: other, durability: "call" });
    copied.write(records(3, Buffer.from("copied")));
    await copied.close();
    mkdirSync(join(directory, "compact.new"));
    cpSync(other, join(directory, "compact.new"), { recursive: true });
    const isHalf = when.startsWith("when half");
    if (isHalf)
      renameSync(join(directory, "compact.new/segment-00000001.log"), join(directory, "segment-00000002.log"));
    const storage = await Storage.open({ directory, durability: "call" });
    expect(keys(storage)).toHaveLength(100);
    storage.write(records(1, Buffer.from("new")));
    await storage.close();
    expect(readdirSync(directory)).not.toContain("compact.new");
    const again = await Storage.open({ directory, durability: "call" });
    expect(keys(again)).toHaveLength(101);
    await again.close();
  },
);

test("refuses a folder that a process has open, and leaves it as it is", async () => {
  await fill();
  const storage = await Storage.open({ directory, durability: "call" });
  await expect(compact(directory)).rejects.toThrow("is open in another process. Stop the server first");
  await storage.close();
});

test("copies the readable entries of a damaged folder that the caller keeps, and keeps the original files", async () => {
  await fill();
  const path = join(directory, "segment-00000001.log");
  const bytes = readFileSync(path);
  // The header of the value of session 450.
  const at = bytes.indexOf(record(450, 0).key) - 8;
  bytes.fill(0xff, at, at + 16);
  writeFileSync(path, bytes);
  writeFileSync(join(directory, "manifest.damaged"), "of an earlier compaction");
  const isKept = (table: string, key: Buffer) => table !== "records" || key.readUIntBE(0, 6) !== 499;
  const { originals } = await compact(directory, { keepOriginal: true, isKept });
  const names = ["segment-00000001.index", "segment-00000001.log", "manifest"].map((name) => `${name}.damaged-2`);
  expect(originals).toEqual(names);
  expect(readFileSync(join(directory, "segment-00000001.log.damaged-2")).equals(bytes)).toBe(true);
  const storage = await Storage.open({ directory, durability: "call" });
  expect(keys(storage)).toEqual(Array.from({ length: 99 }, (_, i) => 400 + i).filter((session) => session !== 450));
  expect(storage.get("meta", Buffer.from("name"))?.toString()).toBe("value");
  await storage.close();
});

test("refuses a disk without space for the copy", async ({ skip }) => {
  const small = mountSmallDisk(4);
  if (!small) return skip("only root may mount a small file system");
  onTestFinished(() => small.remove());
  const disk = small.folder;
  const storage = await Storage.open({ directory: disk, durability: "call" });
  const changes = records(160, Buffer.alloc(12_000, 1));
  for (let at = 0; at < changes.length; at += 10) {
    storage.write(changes.slice(at, at + 10));
    await storage.committed();
  }
  await storage.close();
  const before = readdirSync(disk);
  await expect(compact(disk)).rejects.toThrow(/cannot be compacted: the copy needs \d+ bytes, but \d+ are free/);
  expect(readdirSync(disk)).toEqual(before);
});
