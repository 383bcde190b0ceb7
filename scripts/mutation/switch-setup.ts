import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { DECIDED, MUTANT, REACHED, type Reached } from "./run-protocol.js";

/** Set-up file of each test file: switches the mutant on that the environment names, and notes which ones are reached. */

declare global {
  /** Called by the switches in the mutated files. */
  var rolltapeMutant: ((id: number) => boolean) | undefined;
  var rolltapeReached: Set<number> | undefined;
  /** A test failed, so this run is decided. */
  var rolltapeIsDecided: boolean | undefined;
}

// Vitest's own `bail` stops the process only after a time-out. This ends what is left of a run at once, before the test file
// is loaded.
if (globalThis.rolltapeIsDecided) throw new Error(DECIDED);

const on = Number(process.env[MUTANT]);
const folder = process.env[REACHED];
// Modules are loaded once for all test files and keep the function that they found then.
const reached = (globalThis.rolltapeReached ??= new Set());

globalThis.rolltapeMutant ??= (id) => {
  reached.add(id);
  return id === on;
};

function take(): number[] {
  const ids = [...reached];
  reached.clear();
  return ids;
}

beforeEach(({ onTestFailed, skip }) => {
  skip(globalThis.rolltapeIsDecided === true);
  onTestFailed(() => {
    // Without a mutant, all failures are of interest.
    globalThis.rolltapeIsDecided = process.env[MUTANT] !== undefined;
  });
});

let atLoad: number[] = [];
beforeAll(() => {
  atLoad = take();
});

afterAll(() => {
  if (folder === undefined) return;
  const noted: Reached = { file: expect.getState().testPath ?? "", atLoad, inTests: take() };
  writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(noted));
});
