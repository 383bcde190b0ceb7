import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Storage } from "../../src/storage/index.js";
import { crash, head, newFolder, openStorage, readAll, readIntact, record } from "./stored-folder.js";

/** A damaged folder is refused, or says what it lost. */

vi.setConfig({ testTimeout: 300_000 });

const text = (n: number) => Buffer.from(`value ${n} `.repeat(40 + n));

/** Writes three segments. The last one is closed or, after a crash, open. */
async function writeFolder({ isClosed }: { isClosed: boolean }): Promise<string> {
  const directory = newFolder();
  for (let segment = 0; segment < 3; segment++) {
    const storage = await openStorage(directory);
    for (let n = 0; n < 6; n++) {
      storage.write([record(segment, n, text(n)), head(segment, `head ${n}`)]);
      await storage.flushed();
    }
    if (segment === 2 && !isClosed) return crash(directory);
    await storage.close();
  }
  return directory;
}

/** What a server does at its start: the values, or its error. */
async function start(directory: string): Promise<Record<string, string> | string> {
  const recovered: unknown[] = [];
  try {
    const storage = await Storage.open({ directory, durability: "call", onRecover: (each) => recovered.push(each) });
    try {
      return readAll(storage);
    } finally {
      await storage.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

const copyFolder = (from: string, to: string) => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
};

/** What follows in an open segment are zeros. */
const MAX_FLIPPED = 40_000;

const isOfLog = (name: string) => name !== "rolltape.lock";

test.each([true, false])(
  "a flipped bit anywhere is refused, or only values with it differ (closed: %s)",
  async (isClosed) => {
    const original = await writeFolder({ isClosed });
    const expected = (await start(crash(original))) as Record<string, string>;
    expect(Object.keys(expected)).toHaveLength(21);
    const directory = join(newFolder(), "copy");
    const outcomes = { same: 0, refused: 0, reported: 0, dropped: 0 };
    for (const name of readdirSync(original).filter(isOfLog)) {
      const bytes = readFileSync(join(original, name));
      for (let at = 0; at < Math.min(bytes.length, MAX_FLIPPED); at += 97) {
        copyFolder(original, directory);
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        writeFileSync(join(directory, name), flipped);
        const { values, damage } = readIntact(directory);
        const wrong = Object.keys(expected).filter((key) => values[key] !== expected[key]);
        const place = `${name} at byte ${at}`;
        expect(
          Object.keys(values).filter((key) => !(key in expected)),
          place,
        ).toEqual([]);
        if (damage.length > 0) {
          outcomes.reported++;
          const result = await start(directory);
          // Values of complete segments are read when they are needed. Each has a checksum of its own.
          const differing =
            typeof result === "string" ? [] : Object.keys(expected).filter((key) => result[key] !== expected[key]);
          expect(differing.length, place).toBeLessThanOrEqual(2);
          if (typeof result === "string") outcomes.refused++;
          continue;
        }
        // The record that was written last cannot be told from one that was being written at the crash.
        const isLast = !isClosed && name === "segment-00000003.log" && at >= 5 * 4096;
        if (wrong.length > 0) {
          expect([isLast, wrong.length <= 2], place).toEqual([true, true]);
          outcomes.dropped++;
        } else outcomes.same++;
      }
    }
    expect(outcomes.same).toBeGreaterThan(10);
    expect(outcomes.reported).toBeGreaterThan(10);
    expect(outcomes.dropped).toBeLessThanOrEqual(isClosed ? 0 : 5);
  },
);

test.each([true, false])("a missing or cut file is refused by its name (closed: %s)", async (isClosed) => {
  const original = await writeFolder({ isClosed });
  const names = readdirSync(original).filter(isOfLog);
  expect(names).toEqual([
    "manifest",
    "segment-00000001.index",
    "segment-00000001.log",
    "segment-00000002.index",
    "segment-00000002.log",
    ...(isClosed ? ["segment-00000003.index"] : []),
    "segment-00000003.log",
  ]);
  const expected = await start(crash(original));
  for (const name of names) {
    for (const damage of ["missing", "cut"] as const) {
      const directory = crash(original);
      if (damage === "missing") rmSync(join(directory, name));
      else truncateSync(join(directory, name), 5000);
      const result = await start(directory);
      // A list can be made again from its segment. The end of an open segment may have been being written.
      if (name.endsWith(".index")) expect(result).toEqual(expected);
      else if (!isClosed && name === "segment-00000003.log" && damage === "cut") expect(result).not.toEqual(expected);
      else if (name === "manifest" && damage === "cut") expect(result).toEqual(expected);
      else expect(result).toContain(`is damaged: ${name} `);
    }
  }
});

test("files of different moments are refused", async () => {
  const directory = newFolder();
  const first = await openStorage(directory);
  first.write([head(1, "a")]);
  await first.close();
  const manifest = readFileSync(join(directory, "manifest"));
  const second = await openStorage(directory);
  second.write([head(1, "b")]);
  await second.close();
  const newer = crash(directory);
  writeFileSync(join(newer, "manifest"), manifest);
  expect(await start(newer)).toContain("is damaged: segment-00000002.log is newer than manifest");
  const other = newFolder();
  const third = await openStorage(other);
  third.write([head(1, "c")]);
  await third.close();
  copyFileSync(join(other, "segment-00000001.log"), join(directory, "segment-00000001.log"));
  rmSync(join(directory, "segment-00000001.index"));
  expect(await start(directory)).toContain("is damaged: segment-00000001.log is damaged at byte 0");
});

test("a record that was being written at a crash is dropped, and its size is reported", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  storage.write([head(1, "b")]);
  await storage.flushed();
  const copy = crash(directory);
  const path = join(copy, "segment-00000001.log");
  const bytes = readFileSync(path);
  bytes.fill(0, 4096 + 54);
  writeFileSync(path, bytes);
  const recovered: unknown[] = [];
  const again = await Storage.open({ directory: copy, durability: "call", onRecover: (each) => recovered.push(each) });
  expect(again.get("sessions", Buffer.from([0, 0, 0, 0, 0, 1]))?.toString()).toBe("a");
  expect(recovered).toEqual([{ records: 1, bytes: 4096, incomplete: expect.any(Number) }]);
  await again.close();
});
