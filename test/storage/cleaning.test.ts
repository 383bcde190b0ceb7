import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { native } from "../../src/native/addon.js";
import { Storage } from "../../src/storage/index.js";
import { SegmentSet } from "../../src/storage/log/segment-set.js";
import { Random } from "../helpers/random.js";
import { crash, head, Model, newFolder, openStorage, readAll, readIntact, record } from "./stored-folder.js";

/** The oldest segment is cleaned once less than half of the log is values. */

vi.setConfig({ testTimeout: 120_000 });

test("cleans segments while sessions come and go, and loses nothing at any crash", async () => {
  const random = new Random(7);
  const model = new Model();
  const directory = newFolder();
  const storage = await openStorage(directory);
  const kept = head(10_000, "kept from the first record on");
  const crashes: [copy: string, expected: Record<string, string>][] = [];
  let written = 0;
  for (let session = 0; session < 400; session++) {
    const changes = [
      head(session, `session ${session}`),
      record(session, 0, Buffer.alloc(random.integer(10_000, 60_000), session)),
    ];
    if (session === 0) changes.push(kept);
    const old = session - 20;
    if (old >= 0) changes.push(record(old, 0), head(old));
    storage.write(changes);
    model.write(changes);
    await storage.flushed();
    written += 35_000;
    if (session % 50 === 49) crashes.push([crash(directory), model.all]);
    // Copies go on between records.
    if (session % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const [copy, expected] of crashes) {
    const again = await Storage.open({ directory: copy, durability: "call" });
    expect(readAll(again)).toEqual(expected);
    await again.close();
  }
  const { fileBytes, usedBytes } = storage.readSize();
  expect(fileBytes).toBeLessThan(written / 3);
  expect(usedBytes).toBeLessThanOrEqual(fileBytes);
  await storage.close();
  expect(readIntact(directory)).toEqual({ values: model.all, damage: [] });
});

test("opens a folder after a crash while its first segment began", async () => {
  const directory = newFolder();
  const crashes: string[] = [];
  const { LogFile } = native;
  const opened = vi.spyOn(native, "LogFile").mockImplementation(function (...options) {
    const file = new LogFile(...options);
    crashes.push(crash(directory));
    return file;
  });
  onTestFinished(() => opened.mockRestore());
  const storage = await openStorage(directory);
  storage.write([head(1, "a")]);
  await storage.flushed();
  const [copy] = crashes as [string];
  const again = await openStorage(copy);
  again.write([head(2, "b")]);
  await again.flushed();
  expect(Object.values(readAll(again))).toEqual(["b"]);
});

test("skips only some outdated changes per event turn while cleaning, so that calls need not wait", async () => {
  const storage = await openStorage(newFolder());
  const passed = vi.spyOn(SegmentSet.prototype, "isNewest");
  let [before, most] = [0, 0];
  const countTurn = () => {
    const { length } = passed.mock.calls;
    [before, most] = [length, Math.max(most, length - before)];
    turn = setImmediate(countTurn);
  };
  let turn = setImmediate(countTurn);
  onTestFinished(() => {
    clearImmediate(turn);
    passed.mockRestore();
  });
  storage.write([head(1, "kept")]);
  for (let round = 0; round < 60; round++) {
    storage.write(Array.from({ length: 1000 }, (_, index) => record(1, index, "replaced")));
    await storage.flushed();
  }
  await expect.poll(() => storage.readSize().fileBytes, { timeout: 20_000 }).toBeLessThan(2 ** 20 + 2 ** 17);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(15_000);
});

test.each([
  [2, false],
  [5, true],
])("a log with 2 MB of values and %i MB of replaced ones is cleaned: %s", async (replaced, isCleaned) => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  for (let n = 0; n < 2 + replaced; n++) {
    storage.write([record(1, Math.min(n, 1), Buffer.alloc(1_000_000, n))]);
    await storage.flushed();
  }
  // The active segment is old enough to get a successor.
  const later = performance.now() + 1000;
  const clock = vi.spyOn(performance, "now").mockReturnValue(later);
  onTestFinished(() => clock.mockRestore());
  for (const text of ["one", "two", "three"]) {
    storage.write([head(1, text)]);
    await storage.flushed();
  }
  expect(existsSync(join(directory, "segment-00000002.log"))).toBe(isCleaned);
  expect(Object.values(readAll(storage)).map((text) => text.length)).toEqual([5, 1_000_000, 1_000_000]);
});

test("a log with many small segments, of as many starts, is cleaned until 16 are left", async () => {
  const directory = newFolder();
  const STARTS = 20;
  const list = () => readdirSync(directory).filter((name) => name.endsWith(".log"));
  // The active segment is always old enough to get a successor, and needs none.
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
  onTestFinished(() => clock.mockRestore());
  const start = async (number: number) => {
    const storage = await openStorage(directory);
    storage.write([head(number, `${number}`)]);
    await storage.flushed();
    return storage;
  };
  for (let number = 1; number < STARTS; number++) await (await start(number)).close();
  const storage = await start(STARTS);
  await expect.poll(() => list().length, { timeout: 20_000 }).toBe(16);
  await storage.close();
  expect(list().toSorted().at(-1)).toBe(`segment-000000${STARTS}.log`);
  const again = await openStorage(directory);
  expect(Object.values(readAll(again))).toEqual(Array.from({ length: STARTS }, (_, at) => `${at + 1}`));
});
