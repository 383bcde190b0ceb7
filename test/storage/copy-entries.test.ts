import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkCopy, type TableDigests, writeCopy } from "../../src/storage/copy-entries.js";
import { OfflineStorage, Storage } from "../../src/storage/index.js";

const COPY = "copy.mdb";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "rolltape-copy-"))));
afterEach(() => rmSync(directory, { recursive: true }));

/** Stores entries in a folder of their own, and copies them into it. */
async function copied(name: string, entries: Readonly<Record<string, string>>) {
  const folder = join(directory, name);
  const storage = await Storage.open({ directory: folder, durability: "call" });
  storage.write(
    Object.entries(entries).map(([key, value]) => {
      return { table: "records", key: Buffer.from(key), value: Buffer.from(value) };
    }),
  );
  await storage.close();
  using offline = OfflineStorage.openForChange(folder);
  const digests = await writeCopy(join(folder, COPY), offline, () => true);
  return { digests, check: (expected: TableDigests) => checkCopy(folder, COPY, expected) };
}

test("a copy is what was written", async () => {
  const { digests, check } = await copied("one", { a: "1", b: "2" });
  expect(check(digests).usedBytes).toBeGreaterThan(0);
});

test.each([
  ["value", { a: "1", b: "3" }],
  ["key", { a: "1", c: "2" }],
  ["number of entries", { a: "1" }],
])("a copy with another %s differs from what was written", async (_, others) => {
  const { check } = await copied("one", { a: "1", b: "2" });
  const { digests } = await copied("two", others);
  expect(() => check(digests)).toThrow("the copy differs from what was written (table records). Check the disk");
});
