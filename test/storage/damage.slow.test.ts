import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Storage } from "../../src/storage/index.js";
import { crash, head, newFolder, openStorage, readAll, readIntact, record } from "./stored-folder.js";

/** A damaged folder is refused, or what it lost is reported. */

vi.setConfig({ testTimeout: 300_000 });

const text = (n: number) => Buffer.from(`value ${n} `.repeat(40 + n));

/** Writes three segments. The server is closed after the last one, or crashes. */
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

/** Starts a server. Returns its values, or the message of its error. */
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

/** The rest of an active segment is zeros. */
const MAX_FLIPPED = 40_000;

const isOfLog = (name: string) => name !== "rolltape.lock";

/** Returns the outcome for a folder with a flipped bit; one that is not in the test's list is a defect. */
async function judgeFlip(directory: string, expected: Record<string, string>, isLastRecord: boolean): Promise<string> {
  const { values, damage } = readIntact(directory);
  const differsIn = (found: Record<string, string>) =>
    Object.keys(expected).filter((key) => found[key] !== expected[key]);
  if (Object.keys(values).some((key) => !(key in expected))) return "a value that was never written";
  if (damage.length === 0) {
    if (differsIn(values).length === 0) return "same";
    // A damaged last record cannot be distinguished from one that was being written at the crash.
    return isLastRecord && differsIn(values).length <= 2 ? "dropped" : "a difference that is not reported";
  }
  const started = await start(directory);
  if (typeof started === "string") return "refused";
  // Values of complete segments are read when they are needed. Each has a checksum of its own.
  return differsIn(started).length <= 2 ? "reported" : "differences in more than one record";
}

test.each([true, false])("refuses a flipped bit, or loses at most one record (closed: %s)", async (isClosed) => {
  const original = await writeFolder({ isClosed });
  const expected = (await start(crash(original))) as Record<string, string>;
  expect(Object.keys(expected)).toHaveLength(21);
  const directory = join(newFolder(), "copy");
  const outcomes = new Map<string, string[]>();
  for (const name of readdirSync(original).filter(isOfLog)) {
    const bytes = readFileSync(join(original, name));
    for (let at = 0; at < Math.min(bytes.length, MAX_FLIPPED); at += 97) {
      copyFolder(original, directory);
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(join(directory, name), flipped);
      const isLastRecord = !isClosed && name === "segment-00000003.log" && at >= 5 * 4096;
      const outcome = await judgeFlip(directory, expected, isLastRecord);
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), `${name} at byte ${at}`]);
    }
  }
  const count = (outcome: string) => outcomes.get(outcome)?.length ?? 0;
  const known = ["dropped", "refused", "reported", "same"];
  expect([...outcomes].filter(([outcome]) => !known.includes(outcome))).toEqual([]);
  expect(count("same")).toBeGreaterThan(10);
  expect(count("refused") + count("reported")).toBeGreaterThan(10);
  expect(count("dropped")).toBeLessThanOrEqual(isClosed ? 0 : 10);
});

test.each([true, false])(
  "refuses a folder without one of its files by name, but starts without an index (closed: %s)",
  async (isClosed) => {
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
    const startWithout = async (name: string) => {
      const directory = crash(original);
      rmSync(join(directory, name));
      return start(directory);
    };
    const lists = names.filter((name) => name.endsWith(".index"));
    for (const name of lists) expect(await startWithout(name)).toEqual(expected);
    for (const name of names.filter((each) => !lists.includes(each))) {
      expect(await startWithout(name)).toContain(`is damaged: ${name} is missing`);
    }
  },
);

test("refuses a complete segment that was truncated, by its name", async () => {
  const original = await writeFolder({ isClosed: true });
  for (const number of [1, 2, 3]) {
    const directory = crash(original);
    truncateSync(join(directory, `segment-0000000${number}.log`), 5000);
    expect(await start(directory)).toContain(`is damaged: segment-0000000${number}.log was truncated`);
  }
});

test("refuses files of different moments", async () => {
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

test("drops a record that was being written at a crash, and reports its size", async () => {
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

test("a reader beside a server says which segment is missing, and reads the others", async () => {
  const directory = newFolder();
  for (const session of [1, 2, 3]) {
    const storage = await openStorage(directory);
    storage.write([head(session, `session ${session}`)]);
    await storage.close();
  }
  await openStorage(directory);
  rmSync(join(directory, "segment-00000002.log"));
  const { values, damage } = readIntact(directory);
  expect(Object.values(values)).toEqual(["session 1", "session 3"]);
  expect(damage).toContain("segment-00000002.log is missing");
});
