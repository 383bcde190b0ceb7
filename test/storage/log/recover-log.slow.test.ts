import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LmdbFile } from "../../../src/storage/database.js";
import { type Change, compactStorage, OfflineStorage, Storage } from "../../../src/storage/index.js";
import { PAGE_BYTES, readRecord } from "../../../src/storage/log/log-record.js";
import { newLogState } from "../../../src/storage/log/log-state.js";
import { WriteAheadLog } from "../../../src/storage/log/write-ahead-log.js";
import { change, copyAtCrash, newFolder, openStorage, readByStart, readOffline } from "./crashed-folder.js";

/** Returns a folder whose log has one record for each key, none of them in the data file. The record of the key `long` has several pages. */
async function crashWith(keys: readonly string[]): Promise<string> {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([change("before", "0")]);
  await storage.committed();
  for (const key of keys) {
    storage.write([change(key, "1".repeat(key === "long" ? 3 * PAGE_BYTES : 1))]);
    await storage.flushed();
  }
  return copyAtCrash(directory);
}

async function openLmdb(directory: string): Promise<LmdbFile & Disposable> {
  const file = new LmdbFile({ path: join(directory, "data.mdb"), sync: true, readOnly: false });
  return Object.assign(file, { [Symbol.dispose]: () => void file.close() });
}

/** Returns the log file with the newest records, and the offset of each. */
function findRecords(directory: string): { path: string; bytes: Buffer<ArrayBuffer>; starts: number[] } {
  const found = ["data.log-0", "data.log-1"].map((name) => {
    const bytes = readFileSync(join(directory, name));
    const starts: number[] = [];
    for (let at = 0; ; ) {
      const record = readRecord(bytes, at);
      if (!record) return { path: join(directory, name), bytes, starts, epoch: readRecord(bytes, 0)?.epoch ?? 0 };
      starts.push(at);
      at = record.end;
    }
  });
  const [newest] = found.toSorted((a, b) => b.epoch - a.epoch);
  if (!newest) throw new Error("the folder has no log");
  return newest;
}

describe("a start after a crash", () => {
  it("has every flushed change that only the log has", async () => {
    const directory = await crashWith(["a", "long", "b"]);
    const all = { a: "1", before: "0", b: "1", long: "1".repeat(3 * PAGE_BYTES) };
    expect(readOffline(directory)).toEqual(all);
    expect(await readByStart(directory)).toEqual(all);
    expect(readOffline(directory)).toEqual(all);
  });

  it("applies and removes the log if the durability is no longer `call`", async () => {
    const directory = await crashWith(["a"]);
    expect(await readByStart(directory, "none")).toEqual({ a: "1", before: "0" });
    expect(readdirSync(directory).filter((name) => name.includes("log"))).toEqual([]);
    expect(readOffline(directory)).toEqual({ a: "1", before: "0" });
  });

  it("leaves out the last record if its write was cut at any page", async () => {
    for (const cut of [0, 1, 2]) {
      const directory = await crashWith(["a", "long"]);
      const { path, bytes, starts } = findRecords(directory);
      bytes.fill(0, (starts.at(-1) ?? 0) + cut * PAGE_BYTES);
      writeFileSync(path, bytes);
      expect(await readByStart(directory)).toEqual({ a: "1", before: "0" });
    }
  });

  it("does not apply records of an earlier segment that the file still has", async () => {
    const directory = newFolder();
    const storage = await openStorage(directory);
    for (const value of ["1", "2", "3"]) {
      storage.write([change("a", value), change("b", value), change(value, value)]);
      await storage.flushed();
      storage.write([change("last", value)]);
      await storage.flushed();
      await storage.committed();
    }
    storage.write([change("a", "4"), change("3", undefined)]);
    await storage.flushed();
    const crashed = copyAtCrash(directory);
    const expected = { 1: "1", 2: "2", a: "4", b: "3", last: "3" };
    expect(readOffline(crashed)).toEqual(expected);
    expect(await readByStart(crashed)).toEqual(expected);
  });

  it("has values that look like records", async () => {
    const directory = newFolder();
    const storage = await openStorage(directory);
    storage.write([change("a", "1")]);
    await storage.flushed();
    const forged = readFileSync(findRecords(copyAtCrash(directory)).path).subarray(0, PAGE_BYTES);
    // An agent does not know the id of the log.
    forged.fill(7, 8, 16);
    storage.write([change("b", Buffer.concat(Array(8).fill(forged)).toString("latin1"))]);
    await storage.flushed();
    const crashed = copyAtCrash(directory);
    expect(Object.keys(await readByStart(crashed))).toEqual(["a", "b"]);
  });
});

describe("a damaged log", () => {
  const refusal = (reason: RegExp) => ({
    code: "storage_unusable",
    message: expect.stringMatching(
      new RegExp(`has a damaged write-ahead log: ${reason.source}\\. .rolltape storage verify`),
    ) as string,
  });
  const start = (directory: string) => Storage.open({ directory, durability: "call" });

  it.each([0, 1])(
    "is refused if record %i is damaged and has a successor, and a compaction keeps the records before it",
    async (n) => {
      const directory = await crashWith(["a", "b", "c"]);
      const { path, bytes, starts } = findRecords(directory);
      const at = starts[n] ?? 0;
      bytes[at + 48] = (bytes[at + 48] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      await expect(start(directory)).rejects.toMatchObject(refusal(/data\.log-\d is damaged at byte \d+/));
      const entries = n === 0 ? { before: "0" } : { a: "1", before: "0" };
      expect(readOffline(directory)).toEqual(entries);
      {
        using storage = OfflineStorage.openForChange(directory);
        expect(storage.log?.damage).toMatch(/is damaged at byte/);
        await compactStorage(storage, { keepOriginal: true });
      }
      expect(readFileSync(`${path}.damaged`).equals(bytes)).toBe(true);
      expect(await readByStart(directory)).toEqual(entries);
    },
  );

  /** Returns a folder with two segments that are not applied: the first has the records `a` and `b`, the second `c` and `d`. */
  async function crashWithTwoSegments(): Promise<string> {
    const directory = newFolder();
    const state = newLogState();
    const storage = await openStorage(directory);
    await storage.close();
    using file = await openLmdb(directory);
    const commit = async (changes: readonly Change[]) => file.commit(changes);
    const log = new WriteAheadLog({ directory, state, commit, apply: () => new Promise(() => undefined) });
    for (const key of ["a", "b"]) await log.append([change(key, "1")]);
    void log.applied();
    for (const key of ["c", "d"]) await log.append([change(key, "1")]);
    return copyAtCrash(directory);
  }

  it("is refused if the last record of a segment is damaged and the next segment has records", async () => {
    const directory = await crashWithTwoSegments();
    expect(Object.keys(readOffline(directory))).toEqual(["a", "b", "c", "d"]);
    const path = join(directory, "data.log-1");
    const bytes = readFileSync(path);
    bytes[PAGE_BYTES + 48] = (bytes[PAGE_BYTES + 48] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    await expect(start(directory)).rejects.toMatchObject(refusal(/data\.log-1 is damaged at byte 4096/));
    expect(Object.keys(readOffline(directory))).toEqual(["a"]);
    {
      using storage = OfflineStorage.openForChange(directory);
      await compactStorage(storage, { keepOriginal: true });
    }
    // A compaction that ends before it renames the log leaves these names.
    for (const name of ["data.log-0", "data.log-1"])
      renameSync(join(directory, `${name}.damaged`), join(directory, name));
    expect(Object.keys(await readByStart(directory))).toEqual(["a"]);
  });

  it.each(["data.log-0", "data.log-1"])("is refused if %s is missing", async (name) => {
    const directory = await crashWithTwoSegments();
    rmSync(join(directory, name));
    await expect(start(directory)).rejects.toMatchObject(refusal(new RegExp(`${name} is missing`)));
  });

  it("is refused if its state in the data file is damaged, and a compaction removes the state", async () => {
    const directory = await crashWith(["a"]);
    {
      using file = await openLmdb(directory);
      file.commit([{ table: "log", key: Buffer.from("applied"), value: Buffer.alloc(20, 1) }]);
    }
    await expect(start(directory)).rejects.toMatchObject(refusal(/the state of the log is damaged/));
    {
      using storage = OfflineStorage.openForChange(directory);
      expect(storage.log?.damage).toBe("the state of the log is damaged");
      await compactStorage(storage, { keepOriginal: true });
    }
    expect(await readByStart(directory)).toEqual({ before: "0" });
  });

  it("is refused if a segment is missing", async () => {
    const directory = newFolder();
    const storage = await openStorage(directory);
    storage.write([change("a", "1")]);
    await storage.committed();
    const early = copyAtCrash(directory);
    storage.write([change("b", "1")]);
    await storage.committed();
    storage.write([change("c", "1")]);
    await storage.flushed();
    const crashed = copyAtCrash(directory);
    renameSync(join(early, "data.mdb"), join(crashed, "data.mdb"));
    const { path } = findRecords(crashed);
    const other = path.replace(/\d$/, (n) => String(1 - Number(n)));
    writeFileSync(other, Buffer.alloc(2 ** 18));
    const reason =
      /segment \d of the log is missing: data\.mdb and its log are of different moments; restore all of .* from the same one/;
    await expect(start(crashed)).rejects.toMatchObject(refusal(reason));
  });

  it("is refused if it belongs to another data file", async () => {
    const [directory, other] = [await crashWith(["a"]), await crashWith(["b"])];
    renameSync(join(other, "data.mdb"), join(directory, "data.mdb"));
    await expect(start(directory)).rejects.toMatchObject(
      refusal(/data\.log-\d belongs to another data file: data\.mdb and its log are of different moments; .*/),
    );
  });
});

describe("a compaction", () => {
  it("puts the changes of the log into the new file and removes the log", async () => {
    const directory = await crashWith(["a", "b"]);
    {
      using storage = OfflineStorage.openForChange(directory);
      await compactStorage(storage, { keepOriginal: false });
    }
    expect(existsSync(join(directory, "data.log-0"))).toBe(false);
    expect(await readByStart(directory)).toEqual({ a: "1", b: "1", before: "0" });
  });

  it("leaves out entries that only the log has", async () => {
    const directory = await crashWith(["a", "b"]);
    {
      using storage = OfflineStorage.openForChange(directory);
      await compactStorage(storage, { keepOriginal: false, isKept: (_, key) => key.toString() !== "b" });
    }
    expect(await readByStart(directory)).toEqual({ a: "1", before: "0" });
  });
});
