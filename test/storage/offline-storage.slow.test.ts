import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type Damage, OfflineStorage } from "../../src/storage/offline-storage.js";
import { type Durability, Storage } from "../../src/storage/storage.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-offline-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Values = ReadonlyMap<string, Buffer | undefined>;

/** Writes values to the table `records`; undefined removes one. */
async function write(directory: string, commits: readonly Values[], durability: Durability = "call"): Promise<void> {
  const storage = await Storage.open({ directory, durability });
  for (const values of commits) {
    storage.write([...values].map(([key, value]) => ({ table: "records", key: Buffer.from(key), value })));
    await storage.committed();
  }
  await storage.close();
}

/** 2,000 values, so that the tree has three levels; every tenth has pages of its own. */
function manyValues(): Map<string, Buffer> {
  const numbers = Array.from({ length: 2000 }, (_, i) => i);
  return new Map(numbers.map((i) => [name(i), Buffer.alloc(i % 10 === 0 ? 9000 : 300, i % 251)]));
}

const name = (i: number) => `key-${String(i).padStart(6, "0")}`;
const dataFile = (directory: string) => join(directory, "data.mdb");

function readAll(directory: string): { values: Map<string, Buffer>; damage: Damage[] } {
  using storage = OfflineStorage.open(directory);
  const damage: Damage[] = [];
  const report = (each: Damage) => void damage.push(each);
  storage.checkStructure(report);
  const values = new Map([...storage.scan("records", report)].map(({ key, value }) => [key.toString(), value]));
  return { values, damage };
}

/** Overwrites a page of the file with bytes. */
function overwritePage(directory: string, page: number, byte: number): void {
  const file = readFileSync(dataFile(directory));
  file.fill(byte, page * 4096, (page + 1) * 4096);
  writeFileSync(dataFile(directory), file);
}

/** Returns "read", or the code of the error. */
function outcomeOf(read: () => unknown): unknown {
  try {
    read();
    return "read";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const lengths = fc.oneof(fc.nat(64), fc.nat(3000), fc.nat(40_000));
const commit = fc.dictionary(fc.string({ minLength: 1, maxLength: 40 }), fc.option(lengths, { nil: undefined }), {
  maxKeys: 60,
});

test("reads what LMDB wrote, whatever was written and removed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { minLength: 1, maxLength: 8 }), async (commits) => {
      const directory = newFolder();
      const expected = new Map<string, Buffer>();
      const changes = commits.map((values, round) => {
        const entries = Object.entries(values).map(([key, length]) => {
          const value = length === undefined ? undefined : Buffer.alloc(length, round + 1);
          if (value) expected.set(key, value);
          else expected.delete(key);
          return [key, value] as const;
        });
        return new Map(entries);
      });
      await write(directory, changes);
      const { values, damage } = readAll(directory);
      expect(damage).toEqual([]);
      using storage = OfflineStorage.open(directory);
      expect(storage.findDamage()).toBeUndefined();
      expect([...values.keys()]).toEqual(
        [...expected.keys()].toSorted((a, b) => Buffer.from(a).compare(Buffer.from(b))),
      );
      for (const [key, value] of values) expect(value.equals(expected.get(key) ?? Buffer.of())).toBe(true);
    }),
    { numRuns: 10 },
  );
});

test("finds no damage after values were replaced by shorter ones in the same commit", async () => {
  const directory = newFolder();
  const storage = await Storage.open({ directory, durability: "call" });
  const key = Buffer.from("a");
  storage.write([40_000, 5000].map((length) => ({ table: "records", key, value: Buffer.alloc(length, 1) })));
  await storage.close();
  using offline = OfflineStorage.open(directory);
  expect(offline.get("records", key)?.length).toBe(5000);
  expect(offline.findDamage()).toBeUndefined();
});

test("finds values and ranges in a deep tree", async () => {
  const directory = newFolder();
  const values = manyValues();
  await write(directory, [values]);
  using storage = OfflineStorage.open(directory);
  expect(storage.get("records", Buffer.from(name(1230)))?.length).toBe(9000);
  expect(storage.get("records", Buffer.from("key-"))).toBeUndefined();
  expect(storage.get("leases", Buffer.from("key-"))).toBeUndefined();
  const keys = [...storage.range("records", Buffer.from("key-0012"))].map(({ key }) => key.toString());
  expect(keys).toEqual([...values.keys()].filter((key) => key.startsWith("key-0012")));
});

test("reports the size like the storage itself", async () => {
  const directory = newFolder();
  // With a log, closing would change the file again.
  const storage = await Storage.open({ directory, durability: "interval" });
  const changes = [...manyValues()].map(([key, value]) => ({
    table: "records" as const,
    key: Buffer.from(key),
    value,
  }));
  storage.write(changes);
  await storage.committed();
  const size = await storage.readSize();
  await storage.close();
  using offline = OfflineStorage.open(directory);
  expect(offline.readSize()).toEqual(size);
});

test("reading changes nothing and creates no file", async () => {
  const directory = newFolder();
  await write(directory, [manyValues()]);
  for (const file of readdirSync(directory)) if (file !== "data.mdb") rmSync(join(directory, file));
  const before = readFileSync(dataFile(directory));
  readAll(directory);
  expect(readdirSync(directory)).toEqual(["data.mdb"]);
  expect(readFileSync(dataFile(directory)).equals(before)).toBe(true);
});

test("refuses a folder whose subfolders have the storage, and names them", async () => {
  const directory = newFolder();
  for (const worker of ["worker-0", "worker-1", "worker-10"])
    await write(join(directory, worker), [new Map([["a", Buffer.from("1")]])]);
  expect(() => OfflineStorage.open(directory)).toThrow(
    `storage.directory ${directory} has no file data.mdb, but its folders worker-0, worker-1, worker-10 do. Name one of them.`,
  );
});

test.each([0x00, 0xff, 0x5a])("every damaged page is reported, and the rest is read (filled with %i)", async (byte) => {
  const source = newFolder();
  const written = manyValues();
  await write(source, [written]);
  const original = readFileSync(dataFile(source));
  const pages = original.length / 4096;
  let reported = 0;
  for (let page = 2; page < pages; page += 29) {
    writeFileSync(dataFile(source), original);
    overwritePage(source, page, byte);
    const { values, damage } = readAll(source);
    const wrong = [...values].filter(([key, value]) => !written.get(key)?.equals(value));
    // A page in the middle of a long value has no header. Checksums of records find it.
    const isValuePage = damage.length === 0;
    expect(wrong.length).toBeLessThanOrEqual(isValuePage ? 1 : 0);
    for (const [key] of written) {
      const isLost = damage.some(({ from, to }) => !from || (from.toString() <= key && (!to || key < to.toString())));
      expect(values.has(key) || isLost).toBe(true);
    }
    if (damage.length > 0) reported++;
  }
  expect(reported).toBeGreaterThan(0);
});

test("bits that flip anywhere never end the process or the walk", async () => {
  const source = newFolder();
  const commits = Array.from({ length: 5 }, (_, round) => new Map([...manyValues()].slice(round * 20, 200)));
  await write(source, commits);
  const original = readFileSync(dataFile(source));
  fc.assert(
    fc.property(fc.array(fc.nat(original.length * 8 - 1), { minLength: 1, maxLength: 50 }), (bits) => {
      const bytes = Buffer.from(original);
      for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(dataFile(source), bytes);
      expect(["read", "storage_unusable"]).toContain(outcomeOf(() => readAll(source)));
    }),
    { numRuns: 200 },
  );
});

test("a cut file is read as far as it goes", async () => {
  const directory = newFolder();
  const written = manyValues();
  await write(directory, [new Map([...written].slice(0, 1000)), new Map([...written].slice(1000))]);
  const whole = readAll(directory);
  expect(whole.values.size).toBe(2000);
  truncateSync(dataFile(directory), Math.floor(readFileSync(dataFile(directory)).length / 2));
  const { values, damage } = readAll(directory);
  expect(damage[0]?.reason).toContain("the file is truncated");
  for (const [key, value] of values) expect(written.get(key)?.equals(value)).toBe(true);
});

test("a damaged newest meta page leaves the commit before it", async () => {
  const directory = newFolder();
  // With a log, closing it would be the last commit.
  await write(directory, [new Map([["a", Buffer.from("1")]]), new Map([["b", Buffer.from("2")]])], "interval");
  const transactions = [0, 1].map((page) => readFileSync(dataFile(directory)).readBigUInt64LE(page * 4096 + 152));
  overwritePage(directory, (transactions[0] ?? 0n) > (transactions[1] ?? 0n) ? 0 : 1, 0);
  const { values, damage } = readAll(directory);
  expect([...values.keys()]).toEqual(["a"]);
  expect(damage).toEqual([expect.objectContaining({ reason: expect.stringContaining("it is not a valid meta page") })]);
});

test("a file without its list of tables is damaged, not empty", async () => {
  const directory = newFolder();
  await write(directory, [new Map([["a", Buffer.from("1")]])]);
  writeFileSync(dataFile(directory), readFileSync(dataFile(directory)).fill(0, 2 * 4096));
  const { damage } = readAll(directory);
  expect(damage.map(({ table }) => table)).toContain("records");
  using storage = OfflineStorage.open(directory);
  expect(() => [...storage.range("records")]).toThrow("is damaged");
});

test("refuses a folder that is open, and one without a storage", async () => {
  const directory = newFolder();
  expect(() => OfflineStorage.open(directory)).toThrow("has no file data.mdb");
  expect(() => OfflineStorage.open(join(directory, "none"))).toThrow("does not exist");
  writeFileSync(dataFile(directory), "x".repeat(10_000));
  expect(() => OfflineStorage.open(directory)).toThrow("it is not a file of LMDB");
  rmSync(dataFile(directory));
  const storage = await Storage.open({ directory, durability: "call" });
  expect(() => OfflineStorage.open(directory)).toThrow("is open in another process. Stop the server first");
  await storage.close();
});
