import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type Change, compactStorage, Storage } from "../../src/storage/index.js";
import { mountSmallDisk } from "../helpers/small-disk.js";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "rolltape-compact-"))));
afterEach(() => rmSync(directory, { recursive: true }));

const records = (count: number, value: Buffer | undefined): Change[] =>
  Array.from({ length: count }, (_, i) => ({ table: "records", key: Buffer.from(`key-${1000 + i}`), value }));

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
  const { before, after } = await compactStorage(directory);
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
  await compactStorage(directory);
  expect(readdirSync(directory)).not.toContain("data.mdb.compact");
});

test("refuses a folder that a process has open, and leaves it as it is", async () => {
  const storage = await Storage.open({ directory, durability: "call" });
  await expect(compactStorage(directory)).rejects.toThrow("is open in another process. Stop the server first");
  await storage.close();
});

test("refuses a damaged file and leaves it as it is", async () => {
  await fill();
  const file = join(directory, "data.mdb");
  const bytes = readFileSync(file);
  // Every page that is not a meta page.
  writeFileSync(file, bytes.fill(0xff, 2 * 4096));
  await expect(compactStorage(directory)).rejects.toMatchObject({ code: "storage_unusable" });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(readdirSync(directory)).not.toContain("data.mdb.compact");
});

test("refuses a disk without space for the copy", async ({ skip }) => {
  const small = mountSmallDisk(4);
  if (!small) return skip("only root may mount a small file system");
  onTestFinished(() => small.remove());
  const disk = small.folder;
  const storage = await Storage.open({ directory: disk, durability: "call" });
  storage.write(records(200, Buffer.alloc(12_000, 1)));
  await storage.close();
  const before = readFileSync(join(disk, "data.mdb"));
  await expect(compactStorage(disk)).rejects.toThrow(/cannot be compacted: the copy needs \d+ bytes, but \d+ are free/);
  expect(readFileSync(join(disk, "data.mdb")).equals(before)).toBe(true);
  expect(readdirSync(disk)).not.toContain("data.mdb.compact");
});
