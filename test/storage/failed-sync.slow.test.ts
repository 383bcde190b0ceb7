import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { native } from "../../src/native/addon.js";
import { Storage, type StorageError, type StorageOptions } from "../../src/storage/index.js";
import { readManifest, writeManifest } from "../../src/storage/log/manifest.js";
import { crash, head, newFolder, openStorage, readAll, record } from "./stored-folder.js";

/** A disk does not confirm a write: it is unknown which parts of it are on disk, and the page cache may differ from the disk. */

const { LogFile } = native;

/** Rejects the first writes to new segments as not confirmed, although they reach the file. */
function failSyncs(count: number): void {
  let left = count;
  const failing = vi.spyOn(native, "LogFile").mockImplementation(function (...options) {
    const file = new LogFile(...options);
    const append: typeof file.append = async (...args) => {
      await file.append(...args);
      if (left-- > 0)
        throw Object.assign(new Error("the disk did not confirm a write: EIO"), { code: "ERR_SYNC_FAILED" });
    };
    return { append, release: () => file.release() };
  });
  onTestFinished(() => failing.mockRestore());
}

/** Opens a folder that has values, so that the first write begins a segment. */
async function openWithValues(options: Partial<StorageOptions> = {}) {
  const directory = newFolder();
  const first = await openStorage(directory);
  first.write([head(1, "before"), record(1, 0, "a")]);
  await first.close();
  const storage = await Storage.open({ ...options, directory, durability: "call" });
  onTestFinished(() => storage.close());
  return { directory, storage };
}

const values = async (directory: string): Promise<string[]> => {
  const storage = await openStorage(directory);
  const found = Object.values(readAll(storage));
  await storage.close();
  return found;
};

test.each([1, 3])("continues in another segment after %i failed syncs, and has every change once", async (failures) => {
  const reported: (StorageError | undefined)[] = [];
  const { directory, storage } = await openWithValues({ onFailure: (failure) => reported.push(failure) });
  failSyncs(failures);
  storage.write([head(1, "during"), record(1, 1, "b")]);
  await expect(storage.flushed()).rejects.toMatchObject({ code: "storage_failed" });
  // Never confirmed, so nobody may see it.
  expect(Object.values(readAll(storage))).toEqual(["before", "a"]);
  await expect.poll(() => storage.failure, { timeout: 20_000 }).toBeUndefined();
  expect(reported.map((failure) => failure?.message)).toEqual([
    "The server cannot write to its storage: the disk did not confirm a write: EIO.",
    undefined,
  ]);
  expect(Object.values(readAll(storage))).toEqual(["during", "a", "b"]);
  storage.write([head(1, "after")]);
  await storage.flushed();
  expect(existsSync(join(directory, `segment-0000000${failures + 2}.log`))).toBe(true);
  expect(await values(crash(directory))).toEqual(["after", "a", "b"]);
  await storage.close();
  expect(await values(directory)).toEqual(["after", "a", "b"]);
});

test("restores an unconfirmed record as a whole, before and after it is written again", async () => {
  const { directory, storage } = await openWithValues();
  failSyncs(1);
  storage.write([head(1, "during"), record(1, 0, "b")]);
  await expect(storage.flushed()).rejects.toThrow("did not confirm a write");
  const unconfirmed = crash(directory);
  expect(await values(unconfirmed)).toEqual(["during", "b"]);
  await expect.poll(() => storage.failure, { timeout: 20_000 }).toBeUndefined();
  expect(await values(crash(directory))).toEqual(["during", "b"]);
});

test("writes the last record before a crash again with the first new changes", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a"), record(1, 0, "kept")]);
  await storage.flushed();
  storage.write([head(1, "b")]);
  await storage.flushed();
  const crashed = crash(directory);
  const next = await openStorage(crashed);
  next.write([record(1, 1, "new")]);
  await next.flushed();
  // The disk never had the last record of the first segment, whose write an earlier process may not have seen confirmed.
  truncateSync(join(crashed, "segment-00000001.log"), 4096);
  expect(await values(crash(crashed))).toEqual(["b", "kept", "new"]);
});

test("keeps newer changes over the last record before a crash, if another crash comes before its segment has an index", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a"), record(1, 0, "kept")]);
  await storage.flushed();
  storage.write([head(1, "b"), record(1, 0), record(1, 1, "last")]);
  await storage.flushed();
  const crashed = crash(directory);
  // The next process died when it had begun a segment, before its first record.
  writeFileSync(join(crashed, "segment-00000002.log"), "");
  const manifest = readManifest(crashed);
  await writeManifest(crashed, { ...manifest, last: 2 }, true);
  const unlisted = readFileSync(join(crashed, "segment-00000001.log"));
  const next = await openStorage(crashed);
  next.write([head(1, "c"), record(1, 2, "new")]);
  await next.flushed();
  const again = crash(crashed);
  for (const number of [1, 2]) rmSync(join(again, `segment-0000000${number}.index`));
  writeFileSync(join(again, "segment-00000001.log"), unlisted);
  const last = await openStorage(again);
  expect(Object.values(readAll(last))).toEqual(["c", "last", "new"]);
  last.write([record(1, 3, "later")]);
  await last.flushed();
  expect(Object.values(readAll(last))).toEqual(["c", "last", "new", "later"]);
  await last.close();
  expect(await values(again)).toEqual(["c", "last", "new", "later"]);
});
