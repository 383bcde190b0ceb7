import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Change } from "../../../src/storage/changes.js";
import { CommitThread } from "../../../src/storage/commit-thread.js";
import { LmdbFile } from "../../../src/storage/database.js";
import { LOG_FILES } from "../../../src/storage/file-names.js";
import { compactStorage, OfflineStorage, Storage } from "../../../src/storage/index.js";
import { LogSegment } from "../../../src/storage/log/log-segment.js";
import { change, copyAtCrash, newFolder, openStorage, readByStart, readOffline } from "./crashed-folder.js";

/** The data file says whether a log is open. While it is, both files of the log must be there. */

afterEach(() => void vi.restoreAllMocks());

/** Returns a crashed folder. The data file has `before`, and only `data.log-0` has `a`. */
async function crash(): Promise<string> {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([change("before", "0")]);
  await storage.committed();
  storage.write([change("a", "1")]);
  await storage.flushed();
  return copyAtCrash(directory);
}

const start = (directory: string) => Storage.open({ directory, durability: "call" });
const readLog = (directory: string, name: string) => readFileSync(join(directory, name));

const remove = (path: string) => rmSync(path);
const empty = (path: string) => truncateSync(path);
const shorten = (path: string) => truncateSync(path, 2 ** 18 - 1);

describe("after a crash", () => {
  it.each([
    ["data.log-0", "missing", remove],
    ["data.log-1", "missing", remove],
    ["data.log-0", "truncated", empty],
    ["data.log-1", "truncated", empty],
    ["data.log-0", "truncated", shorten],
    ["data.log-1", "truncated", shorten],
  ] as const)("refuses the folder if %s is %s, and a compaction repairs it", async (name, state, damage) => {
    const directory = await crash();
    damage(join(directory, name));
    const reason = `${name} ${state === "missing" ? "is missing" : "was truncated"}`;
    for (const durability of ["call", "none"] as const) {
      await expect(Storage.open({ directory, durability })).rejects.toMatchObject({
        code: "storage_unusable",
        message: expect.stringContaining(`has a damaged write-ahead log: ${reason}. `) as string,
      });
    }
    {
      using storage = OfflineStorage.openForChange(directory);
      expect(storage.log?.damage).toBe(reason);
      await compactStorage(storage, { keepOriginal: true });
    }
    const isKept = name === "data.log-1" || damage === shorten;
    expect(await readByStart(directory)).toEqual(isKept ? { a: "1", before: "0" } : { before: "0" });
  });

  it("refuses the folder if both files are missing", async () => {
    const directory = await crash();
    for (const name of LOG_FILES) rmSync(join(directory, name));
    await expect(start(directory)).rejects.toThrow("data.log-0 is missing");
  });

  it("also refuses a folder without unapplied changes if a file is missing", async () => {
    const directory = newFolder();
    const storage = await openStorage(directory);
    storage.write([change("a", "1")]);
    await storage.committed();
    const crashed = copyAtCrash(directory);
    rmSync(join(crashed, "data.log-0"));
    await expect(start(crashed)).rejects.toThrow("data.log-0 is missing");
  });

  it("refuses an older log beside a newer data file", async () => {
    const directory = newFolder();
    const storage = await openStorage(directory);
    const write = async (value: string) => {
      storage.write([change("a", value)]);
      await storage.committed();
    };
    await write("1");
    await write("2");
    const early = copyAtCrash(directory);
    for (const value of ["3", "4", "5", "6"]) await write(value);
    const crashed = copyAtCrash(directory);
    for (const name of LOG_FILES) writeFileSync(join(crashed, name), readLog(early, name));
    await expect(start(crashed)).rejects.toThrow(/data\.log-\d has older changes than data\.mdb/);
  });

  it("refuses the log of a later run beside a data file of a stopped server", async () => {
    const directory = newFolder();
    await (await start(directory)).close();
    const stopped = copyAtCrash(directory);
    const storage = await openStorage(directory);
    storage.write([change("a", "1")]);
    await storage.flushed();
    for (const name of LOG_FILES) writeFileSync(join(stopped, name), readLog(directory, name));
    await expect(start(stopped)).rejects.toThrow(/data\.log-\d has newer changes than data\.mdb/);
  });
});

describe("the state of the log", () => {
  const overwriteState = async (directory: string, edit: (state: Buffer) => Buffer): Promise<void> => {
    const file = new LmdbFile({ path: join(directory, "data.mdb"), sync: true, readOnly: false });
    const key = Buffer.from("applied");
    file.commit([{ table: "log", key, value: edit(Buffer.from(file.get("log", key) ?? "")) }]);
    await file.close();
  };
  const sealed = (fields: Buffer) => {
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(fields));
    return Buffer.concat([fields, checksum]);
  };

  it("of an earlier version is read, and its files may be short", async () => {
    const directory = await crash();
    await overwriteState(directory, (state) => sealed(state.subarray(0, 16)));
    truncateSync(join(directory, "data.log-0"), 4096);
    truncateSync(join(directory, "data.log-1"), 0);
    expect(await readByStart(directory)).toEqual({ a: "1", before: "0" });
  });

  it("of an earlier version without unapplied changes needs no files", async () => {
    const directory = await crash();
    await overwriteState(directory, (state) => sealed(state.subarray(0, 16)));
    for (const name of LOG_FILES) rmSync(join(directory, name));
    expect(await readByStart(directory)).toEqual({ before: "0" });
  });

  it("of a later version is refused by name, and the folder stays as it is", async () => {
    const directory = await crash();
    await overwriteState(directory, (state) => sealed(Buffer.concat([state.subarray(0, 20), Buffer.alloc(8)])));
    const message = `storage.directory ${directory} has a write-ahead log of a later version of Rolltape.`;
    await expect(start(directory)).rejects.toMatchObject({ code: "storage_unusable", message });
    expect(() => OfflineStorage.open(directory)).toThrow(message);
    expect(readLog(directory, "data.log-0").includes("RTLG")).toBe(true);
  });
});

describe("a folder that was left at any step of a start or a stop", () => {
  /** Copies the folder before and after each commit of the data file, and before each file of the log is prepared. */
  function watchSteps(directory: string): string[] {
    const copies: string[] = [];
    const copy = () => void copies.push(copyAtCrash(directory));
    const commit = Reflect.get(CommitThread.prototype, "commit") as CommitThread["commit"];
    vi.spyOn(CommitThread.prototype, "commit").mockImplementation(async function (this: CommitThread, changes) {
      copy();
      await commit.call(this, changes);
      copy();
    });
    const commitNow = Reflect.get(LmdbFile.prototype, "commit") as LmdbFile["commit"];
    vi.spyOn(LmdbFile.prototype, "commit").mockImplementation(function (this: LmdbFile, changes: Iterable<Change>) {
      copy();
      commitNow.call(this, changes);
      copy();
    });
    const prepare = Reflect.get(LogSegment.prototype, "prepare") as LogSegment["prepare"];
    vi.spyOn(LogSegment.prototype, "prepare").mockImplementation(async function (this: LogSegment) {
      copy();
      await prepare.call(this);
    });
    return copies;
  }

  /** Changes the files of the log as a crash can leave them while the data file says that it has no log. */
  const LEFT: readonly ((path: string) => void)[] = [() => undefined, (path) => rmSync(path, { force: true }), cut];

  function cut(path: string): void {
    if (statSync(path, { throwIfNoEntry: false })) truncateSync(path, 5000);
  }

  const isOpen = (directory: string) => {
    using storage = OfflineStorage.open(directory);
    return storage.log?.isOpen === true;
  };

  /** Starts each copy, as it is and with the files of the log in each state that they can have then. Returns the number of starts. */
  async function startAll(copies: readonly string[], expected: Record<string, string>): Promise<number> {
    let starts = 0;
    for (const copy of copies) {
      const states = isOpen(copy) ? LEFT.slice(0, 1) : LEFT;
      for (const [even, odd] of states.flatMap((first) => states.map((second) => [first, second] as const))) {
        for (const durability of ["call", "none"] as const) {
          const directory = copyAtCrash(copy);
          even(join(directory, LOG_FILES[0]));
          odd(join(directory, LOG_FILES[1]));
          expect(readOffline(directory)).toEqual(expected);
          expect(await readByStart(directory, durability)).toEqual(expected);
          expect(readOffline(directory)).toEqual(expected);
          starts++;
        }
      }
    }
    return starts;
  }

  it("starts with every change after a stop", { timeout: 60_000 }, async () => {
    const directory = newFolder();
    const storage = await start(directory);
    storage.write([change("a", "1")]);
    await storage.flushed();
    const copies = watchSteps(directory);
    await storage.close();
    copies.push(copyAtCrash(directory));
    vi.restoreAllMocks();
    expect(isOpen(directory)).toBe(false);
    expect(await startAll(copies, { a: "1" })).toBeGreaterThanOrEqual(2 + 18);
  });

  it.each(["call", "none"] as const)(
    "starts with every change after a start with durability %s that followed a crash",
    { timeout: 120_000 },
    async (durability) => {
      const directory = await crash();
      const copies = watchSteps(directory);
      const storage = await Storage.open({ directory, durability });
      onTestFinished(() => storage.close());
      copies.push(copyAtCrash(directory));
      vi.restoreAllMocks();
      expect(await startAll(copies, { a: "1", before: "0" })).toBeGreaterThanOrEqual(2 + 18);
    },
  );

  it("starts after a first start", { timeout: 60_000 }, async () => {
    const directory = newFolder();
    const copies = watchSteps(directory);
    const storage = await start(directory);
    onTestFinished(() => storage.close());
    copies.push(copyAtCrash(directory));
    vi.restoreAllMocks();
    expect(await startAll(copies, {})).toBeGreaterThanOrEqual(18 + 2);
  });
});
