import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OfflineStorage } from "../../src/storage/offline-storage.js";
import { Storage } from "../../src/storage/storage.js";

/** A server opens a file only if LMDB can read and change it. */

const PAGE = 4096;

let folder: string;
/** An intact file with all kinds of pages: branches, leaves, long values, a list of free pages. */
let original: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "rolltape-intact-"));
  const directory = join(folder, "original");
  const storage = await Storage.open({ directory, durability: "none" });
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 1200; i++) {
      const value = (i * 7 + round) % 5 === 0 ? undefined : Buffer.alloc(i % 20 === 0 ? 9000 : 30, i);
      storage.write([
        { table: "records", key: keyOf(i + round * 100), value },
        { table: "sessions", key: keyOf(i % 100), value: Buffer.alloc(20 + round, i) },
      ]);
    }
    await storage.committed();
  }
  await storage.close();
  original = readFileSync(join(directory, "data.mdb"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function keyOf(i: number): Buffer {
  return Buffer.from(`key-${String(i).padStart(6, "0")}`);
}

/** Writes a changed copy of the file to a folder of its own. */
function writeCopy(name: string, change: (bytes: Buffer) => void): string {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  const bytes = Buffer.from(original);
  change(bytes);
  writeFileSync(join(directory, "data.mdb"), bytes);
  return directory;
}

function findDamage(directory: string): string | undefined {
  try {
    using storage = OfflineStorage.open(directory);
    return storage.findDamage();
  } catch (error) {
    return (error as Error).message;
  }
}

const opened = (directory: string) =>
  Storage.open({ directory, durability: "call" }).then((storage) => storage.close());

/** Returns the numbers of the pages with these flags: 1 for branches, 2 for leaves. */
function pagesWith(flags: number): number[] {
  const count = original.length / PAGE;
  return Array.from({ length: count }, (_, page) => page).filter((page) => {
    const at = page * PAGE;
    return Number(original.readBigUInt64LE(at)) === page && (original.readUInt16LE(at + 18) & 0xfff) === flags;
  });
}

test("opens an intact file", async () => {
  const directory = writeCopy("intact", () => undefined);
  expect(findDamage(directory)).toBeUndefined();
  await opened(directory);
});

test("refuses a damaged page with keys, and names the command that lists what is lost", async () => {
  const directory = writeCopy("branch", (bytes) => {
    for (const page of pagesWith(1)) bytes.fill(0xff, page * PAGE + 24, (page + 1) * PAGE);
  });
  await expect(opened(directory)).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringMatching(
      /^storage\.directory \S+ has a damaged file data\.mdb: page \d+ is damaged: .*`rolltape storage compact --leave-out-damaged`/,
    ),
  });
});

test("refuses a value whose pages have another use, and a file with a damaged meta page", async () => {
  const shared = writeCopy("shared", (bytes) => {
    for (const page of pagesWith(2)) shareValue(bytes.subarray(page * PAGE, (page + 1) * PAGE));
  });
  await expect(opened(shared)).rejects.toThrow("which has another use");
  const meta = writeCopy("meta", (bytes) => bytes.fill(0, PAGE, PAGE + 64));
  await expect(opened(meta)).rejects.toThrow("it is not a valid meta page");
});

/** Offsets of fields in a meta page; from `MDB_meta` in mdb.c of the package `lmdb`. */
const COUNTERS = {
  "branch pages of the list of free pages": 56,
  "leaf pages of the list of free pages": 64,
  "value pages of the list of free pages": 72,
  "entries of the list of free pages": 80,
  "branch pages of the list of tables": 104,
  "leaf pages of the list of tables": 112,
  "value pages of the list of tables": 120,
  "entries of the list of tables": 128,
  "last page": 144,
  transaction: 152,
} as const;

test.each(Object.entries(COUNTERS))("refuses a meta page with a flipped bit in the counter of %s", async (_, at) => {
  const newest = [0, 1].toSorted((a, b) => Number(readTransaction(b) - readTransaction(a)))[0] ?? 0;
  for (const bit of [0, 2, 3, 5, 8, 16, 30, 40]) {
    const directory = writeCopy(`counter-${at}-${bit}`, (bytes) => {
      const byte = newest * PAGE + at + (bit >> 3);
      bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (bit & 7));
    });
    expect(findDamage(directory), `bit ${bit}`).toBeDefined();
    await expect(opened(directory)).rejects.toThrow("has a damaged file data.mdb: ");
  }
});

function readTransaction(page: number): bigint {
  return original.readBigUInt64LE(page * PAGE + 152);
}

/** Lets the first two long values of a leaf have the same pages. */
function shareValue(leaf: Buffer): void {
  const long: number[] = [];
  for (let i = 0; i < leaf.readUInt16LE(20) / 2; i++) {
    const at = 24 + leaf.readUInt16LE(24 + 2 * i);
    if (leaf.readUInt16LE(at + 4) === 1) long.push(at + 8 + leaf.readUInt16LE(at + 6));
  }
  const [first, second] = long;
  if (first !== undefined && second !== undefined) leaf.copy(leaf, second, first, first + 8);
}

/** Opens files with LMDB, reads all of each, and changes and removes values. Prints the name of each file before and after. */
const USE_FILES = `
  import { LmdbFile } from "./src/storage/database.ts";
  for (const path of process.argv.slice(1)) {
    console.log("begin " + path);
    try {
      const file = new LmdbFile({ path, sync: false, readOnly: false });
      const tables = ["meta", "sessions", "records", "leases"];
      const keys = tables.flatMap((table) => [...file.range(table, Buffer.of())].map(({ key }) => ({ table, key: Buffer.from(key) })));
      for (let i = 0; i < keys.length; i += 40) {
        file.commit(keys.slice(i, i + 20).map((each) => ({ ...each, value: undefined })));
        file.commit(keys.slice(i + 20, i + 40).map((each) => ({ ...each, value: Buffer.alloc(i % 6000, 1) })));
      }
      await file.close();
    } catch (error) {
      console.log(error.message);
    }
    console.log("end " + path);
  }
`;

/** A small generator of numbers, so that the test is the same each time. */
function* randomNumbers(): Generator<number, never> {
  for (let state = 12345; ; ) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

test("LMDB survives every file that the check calls intact", { timeout: 120_000 }, () => {
  const random = randomNumbers();
  const next = (limit: number) => Math.floor(random.next().value * limit);
  // Without those that are free.
  const keyPages = [...pagesWith(1), ...pagesWith(2)].filter((page) => {
    return findDamage(writeCopy("probe", (bytes) => bytes.fill(0xff, page * PAGE, (page + 1) * PAGE))) !== undefined;
  });
  const paths: string[] = [];
  let refused = 0;
  for (let n = 0; n < 250; n++) {
    const directory = writeCopy(`random-${n}`, (bytes) => {
      // Headers, nodes and meta pages, where damage is worst.
      const page = n % 6 === 0 ? n % 2 : (keyPages[next(keyPages.length)] ?? 0);
      const at = page * PAGE + (n % 3 === 0 ? next(200) : next(PAGE));
      if (n % 4 === 0) bytes.fill(next(256), at, at + 1 + next(64));
      else bytes[at] = (bytes[at] ?? 0) ^ (1 << next(8));
    });
    if (findDamage(directory) === undefined) paths.push(join(directory, "data.mdb"));
    else {
      refused++;
      rmSync(directory, { recursive: true });
    }
  }
  expect(refused).toBeGreaterThan(100);
  expect(paths.length).toBeGreaterThan(50);
  const { status, stdout } = spawnSync(
    "node_modules/.bin/tsx",
    ["--input-type=module", "-e", USE_FILES, "--", ...paths],
    {
      encoding: "utf8",
    },
  );
  expect(stdout.trim().split("\n").at(-1)).toBe(`end ${paths.at(-1)}`);
  expect(status).toBe(0);
});
