import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { crash, isOfLog, newFolder, readIntact, start, writeSegments } from "./stored-folder.js";

/** A folder with a flipped bit is refused, or what it lost is reported. */

vi.setConfig({ testTimeout: 300_000 });

const copyFolder = (from: string, to: string) => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
};

/** The rest of an active segment is zeros. */
const MAX_FLIPPED = 40_000;

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
  const original = await writeSegments({ isClosed });
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
