import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import {
  type Change,
  type Compaction,
  type CompactOptions,
  compactStorage,
  OfflineStorage,
  Storage,
} from "../../src/storage/index.js";
import { mountSmallDisk } from "../helpers/small-disk.js";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "rolltape-compact-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const records = (count: number, value: Buffer | undefined): Change[] =>
  Array.from({ length: count }, (_, i) => ({ table: "records", key: Buffer.from(`key-${1000 + i}`), value }));

async function compact(folder: string, options: CompactOptions = { keepOriginal: false }): Promise<Compaction> {
  using storage = OfflineStorage.openForChange(folder);
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
  const { mode } = statSync(join(directory, "data.mdb"));
  const { before, after } = await compact(directory);
  expect(after.fileBytes).toBeLessThan(before.fileBytes / 3);
  expect(statSync(join(directory, "data.mdb"))).toMatchObject({ size: after.fileBytes, mode });
  expect(readdirSync(directory).toSorted()).toEqual(["data.mdb", "data.mdb-lock", "rolltape.lock"]);
  const storage = await Storage.open({ directory, durability: "call" });
  expect([...storage.range("records")].map(({ key }) => key.toString())).toEqual(
    records(500, undefined)
      .slice(400)
      .map(({ key }) => key.toString()),
  );
  expect(storage.get("meta", Buffer.from("name"))?.toString()).toBe("value");
  storage.write(records(10, Buffer.from("new")));
  await storage.close();
});

test("replaces a copy that an earlier compaction left behind", async () => {
  await fill();
  writeFileSync(join(directory, "data.mdb.compact"), "left behind");
  await compact(directory);
  expect(readdirSync(directory)).not.toContain("data.mdb.compact");
});

test("a server removes the copy that a killed compaction left", async () => {
  await fill();
  writeFileSync(join(directory, "data.mdb.compact"), "left behind");
  await (await Storage.open({ directory, durability: "call" })).close();
  expect(readdirSync(directory)).not.toContain("data.mdb.compact");
});

test("refuses a folder that a process has open, and leaves it as it is", async () => {
  const storage = await Storage.open({ directory, durability: "call" });
  await expect(compact(directory)).rejects.toThrow("is open in another process. Stop the server first");
  await storage.close();
});

test("copies what a damaged file still has, without what the caller leaves out, and keeps the file", async () => {
  await fill();
  const file = join(directory, "data.mdb");
  const bytes = readFileSync(file);
  writeFileSync(join(directory, "data.mdb.damaged"), "of an earlier compaction");
  // A page of the tree that a node of the list of tables points to.
  const lost = Array.from({ length: bytes.length / 4096 }, (_, page) => page * 4096).filter(
    (at) =>
      at > 4096 &&
      bytes.readUInt16LE(at + 18) === 2 &&
      bytes.includes("key-1450", at) &&
      bytes.indexOf("key-1450", at) < at + 4096,
  );
  for (const at of lost) bytes.fill(0xff, at, at + 4096);
  writeFileSync(file, bytes);
  const isKept = (_: string, key: Buffer) => key.toString() !== "key-1499";
  const { original } = await compact(directory, { keepOriginal: true, isKept });
  expect(original).toBe("data.mdb.damaged-2");
  expect(readFileSync(join(directory, "data.mdb.damaged-2")).equals(bytes)).toBe(true);
  const storage = await Storage.open({ directory, durability: "call" });
  const keys = [...storage.range("records")].map(({ key }) => key.toString());
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.length).toBeLessThan(99);
  expect(keys).not.toContain("key-1450");
  expect(keys).not.toContain("key-1499");
  expect(storage.get("meta", Buffer.from("name"))?.toString()).toBe("value");
  await storage.close();
});

test("refuses a disk without space for the copy", async ({ skip }) => {
  const small = mountSmallDisk(4);
  if (!small) return skip("only root may mount a small file system");
  onTestFinished(() => small.remove());
  const disk = small.folder;
  const storage = await Storage.open({ directory: disk, durability: "call" });
  // Each commit needs free space for more than its changes, so write in small ones.
  const changes = records(160, Buffer.alloc(12_000, 1));
  for (let at = 0; at < changes.length; at += 10) {
    storage.write(changes.slice(at, at + 10));
    await storage.committed();
  }
  await storage.close();
  const before = readFileSync(join(disk, "data.mdb"));
  await expect(compact(disk)).rejects.toThrow(/cannot be compacted: the copy needs \d+ bytes, but \d+ are free/);
  expect(readFileSync(join(disk, "data.mdb")).equals(before)).toBe(true);
  expect(readdirSync(disk)).not.toContain("data.mdb.compact");
});
