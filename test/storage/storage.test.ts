import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionKey } from "../../src/session/stored/keys.js";
import { StorageReader } from "../../src/storage/index.js";
import { head, newFolder, openStorage, record } from "./stored-folder.js";

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

test("tells listeners how long answers wait for the disk, until they are removed", async () => {
  const storage = await openStorage(newFolder());
  const waits: number[] = [];
  const remove = storage.onWait((seconds) => waits.push(seconds));
  storage.write([head(1, "a")]);
  await storage.flushed();
  expect(waits).toEqual([expect.any(Number)]);
  expect(waits[0]).toBeGreaterThan(0);
  remove();
  await storage.flushed();
  expect(waits).toHaveLength(1);
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
  ["has no file manifest: no server stored sessions there", () => undefined],
])("a reader refuses a folder that %s", (problem, change) => {
  const folder = newFolder();
  change(folder);
  expect(() => StorageReader.open(folder)).toThrow(`storage.directory ${folder} ${problem}.`);
});
