import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { native } from "../../src/native/addon.js";
import { type Change, Storage } from "../../src/storage/index.js";
import { SegmentSet } from "../../src/storage/log/segment-set.js";
import { Random } from "../helpers/random.js";
import { mountSmallDisk } from "../helpers/small-disk.js";
import { crash, head, newFolder, openStorage, readAll, readIntact, record } from "./stored-folder.js";

/** A storage has every confirmed change, however it was closed. */

vi.setConfig({ testTimeout: 120_000 });

/** What a storage must have. */
class Model {
  readonly values = new Map<string, string>();

  write(changes: readonly Change[]): void {
    for (const { table, key, value } of changes) {
      const name = `${table} ${Buffer.from(key).toString("hex")}`;
      if (value) this.values.set(name, Buffer.from(value).toString("latin1"));
      else this.values.delete(name);
    }
  }

  get all(): Record<string, string> {
    return Object.fromEntries(this.values);
  }
}

const value = fc.oneof(fc.nat(100), fc.nat(5000), fc.nat(70_000)).map((length) => Buffer.alloc(length, length % 251));
const change = fc.oneof(
  fc
    .tuple(fc.nat(5), fc.nat(9), fc.option(value))
    .map(([session, index, bytes]) => record(session, index, bytes ?? undefined)),
  fc.tuple(fc.nat(5), fc.option(fc.string())).map(([session, text]) => head(session, text ?? undefined)),
  fc
    .tuple(fc.constantFrom("a", "b", "c"), fc.option(value))
    .map(([name, bytes]): Change => ({ table: "meta", key: Buffer.from(name), value: bytes ?? undefined })),
);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.array(change, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant("close" as const) },
  { weight: 2, arbitrary: fc.constant("crash" as const) },
);

test("has every confirmed change after any closes and crashes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const model = new Model();
      let directory = newFolder();
      let storage = await openStorage(directory);
      for (const each of steps) {
        if (each === "close") await storage.close();
        else if (each === "crash") directory = crash(directory);
        else {
          storage.write(each);
          model.write(each);
          await storage.flushed();
          continue;
        }
        storage = await openStorage(directory);
        expect(readAll(storage)).toEqual(model.all);
      }
      await storage.close();
      // A folder to which nothing was written has no storage.
      const hasStorage = readdirSync(directory).includes("manifest");
      const found = hasStorage ? readIntact(directory) : { values: {}, damage: [] };
      expect(found).toEqual({ values: model.all, damage: [] });
    }),
    { numRuns: 60 },
  );
});

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

test.for([20, 40])("a disk with %i MB of values and much garbage is not full for ever", async (live, { skip }) => {
  const disk = mountSmallDisk(100);
  if (!disk) return skip("only root may mount a small file system");
  onTestFinished(() => disk.remove());
  const storage = await openStorage(disk.folder);
  const megabyte = (n: number) => Buffer.alloc(1_000_000, n);
  for (let n = 0; n < live; n++) {
    storage.write([record(1, n, megabyte(n))]);
    await storage.flushed();
  }
  // A refused write is tried again each second.
  const recovered = () => vi.waitUntil(() => storage.failure === undefined, { timeout: 20_000 });
  for (let n = 0; n < 300; n++) {
    storage.write([record(2, n % 5, megabyte(n))]);
    await storage.flushed().catch(recovered);
  }
  await storage.committed();
  expect([...storage.range("records")].map(({ value }) => value[0])).toEqual([
    ...Array.from({ length: live }, (_, n) => n),
    ...Array.from({ length: 5 }, (_, n) => (295 + n) % 256),
  ]);
  await storage.close();
});
