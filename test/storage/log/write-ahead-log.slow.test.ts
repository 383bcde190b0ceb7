import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Random } from "../../../bench/soak/random.js";
import { DATA_FILE } from "../../../src/storage/file-names.js";
import type { Change } from "../../../src/storage/index.js";
import { newLogState } from "../../../src/storage/log/log-state.js";
import { type SegmentToApply, WriteAheadLog } from "../../../src/storage/log/write-ahead-log.js";
import { change, copyAtCrash, newFolder, openStorage, readByStart, readOffline } from "./crashed-folder.js";

/** A data file that applies segments when the test says so. */
class HeldFile {
  readonly segments: { readonly segment: SegmentToApply; readonly end: (error?: Error) => void }[] = [];

  readonly apply = (segment: SegmentToApply): Promise<void> =>
    new Promise((resolve, reject) => {
      this.segments.push({ segment, end: (error) => (error ? reject(error) : resolve()) });
    });

  async waitForSegment(n: number): Promise<HeldFile["segments"][number]> {
    for (;;) {
      const found = this.segments[n];
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function openLog(file: HeldFile) {
  const directory = newFolder();
  // The log measures the free space of its file system.
  writeFileSync(join(directory, DATA_FILE), "");
  const log = new WriteAheadLog({ directory, state: newLogState(), apply: file.apply, commit: async () => undefined });
  return { directory, log };
}

it("applies a segment after a moment, and accepts changes meanwhile", async () => {
  const file = new HeldFile();
  const { log } = openLog(file);
  await log.append([change("a", "1")]);
  const first = await file.waitForSegment(0);
  expect(first.segment).toMatchObject({ epoch: 1, bytes: 4096 });
  await log.append([change("b", "1")]);
  await log.append([change("c", "1")]);
  expect(log.bytes).toBe(3 * 4096);
  expect(file.segments).toHaveLength(1);
  first.end();
  const second = await file.waitForSegment(1);
  expect(second.segment).toMatchObject({ epoch: 2, bytes: 2 * 4096 });
  second.end();
  await log.close();
});

it("resolves `applied` once the changes so far are in the data file, without waiting for the timer", async () => {
  const file = new HeldFile();
  const { log, directory } = openLog(file);
  await log.applied();
  await log.append([change("a", "1")]);
  const applied = log.applied();
  const segment = await file.waitForSegment(0);
  await log.append([change("b", "1")]);
  segment.end();
  await applied;
  expect(log.bytes).toBe(4096);
  void file.waitForSegment(1).then(({ end }) => end());
  await log.close();
  expect(readdirSync(directory)).toEqual([DATA_FILE]);
});

it("seals a segment together with the record that is being written", async () => {
  const file = new HeldFile();
  const { log } = openLog(file);
  await log.append([change("a", "1")]);
  const appending = log.append([change("b", "1")]);
  const applied = log.applied();
  await appending;
  const { segment, end } = await file.waitForSegment(0);
  expect(segment).toMatchObject({ epoch: 1, bytes: 2 * 4096 });
  end();
  await applied;
  await log.close();
});

it("refuses changes while the data file does not accept a segment, and tries again", async () => {
  const file = new HeldFile();
  const { log } = openLog(file);
  await log.append([change("a", "1")]);
  const applied = log.applied();
  (await file.waitForSegment(0)).end(new Error("the disk is full"));
  const failure = {
    code: "storage_failed",
    message: "The server cannot write to its storage: the disk is full.",
  };
  await expect(applied).rejects.toMatchObject(failure);
  expect(log.failure).toMatchObject(failure);
  await expect(log.append([change("b", "1")])).rejects.toThrow("the disk is full");
  const again = await file.waitForSegment(1);
  expect(again.segment).toMatchObject({ epoch: 1, bytes: 4096 });
  again.end();
  await expect.poll(() => log.failure).toBeUndefined();
  await log.append([change("b", "1")]);
  void file.waitForSegment(2).then(({ end }) => end());
  await log.close();
});

it("has every change of a random run after each crash", { timeout: 120_000 }, async () => {
  const random = new Random(7);
  const directory = newFolder();
  const model = new Map<string, string>();
  let storage = await openStorage(directory);
  const step = (): Change => {
    const key = `k${random.integer(0, 40)}`;
    const value = random.chance(0.3) ? undefined : `${random.integer(0, 1e6)} `.repeat(random.integer(1, 2000));
    if (value === undefined) model.delete(key);
    else model.set(key, value);
    return change(key, value);
  };
  for (let round = 0; round < 40; round++) {
    const steps = random.integer(1, 12);
    for (let n = 0; n < steps; n++) {
      storage.write(Array.from({ length: random.integer(1, 4) }, step));
      if (random.chance(0.5)) await storage.flushed();
      if (random.chance(0.1)) await storage.committed();
    }
    await storage.flushed();
    const expected = Object.fromEntries(model);
    const crashed = copyAtCrash(directory);
    expect(readOffline(crashed)).toEqual(expected);
    expect(await readByStart(crashed)).toEqual(expected);
    if (round % 10 === 9) {
      await storage.close();
      storage = await openStorage(directory);
    }
  }
});
