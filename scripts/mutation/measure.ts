import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyTree } from "./copy-tree.js";
import { findMutants, insertSwitches, type Mutant } from "./mutants.js";
import { findAllNative, TestBinary } from "./native/test-binary.js";
import type { Result } from "./report.js";
import type { Room } from "./rooms.js";
import { TestSelection } from "./select-tests.js";
import type { Failure, TestOutcome } from "./test-process.js";
import { TestRunner } from "./test-runner.js";

/** Chooses the mutants to try, of all mutants of a room. */
export type Choose = <M extends Mutant>(all: readonly M[]) => M[];

type Outcome = Omit<Result, "mutant">;

const FIRST_RUN_LIMIT_MS = 1_800_000;
/** A run with a mutant may take this and three times as long as without. */
const GRACE_MS = 20_000;
const NOT_REACHED: Outcome = { outcome: "not reached" };
const NO_END: Outcome = { outcome: "noticed", by: "took too long, or crashed" };

const note = (line: string) => void process.stderr.write(`${line}\n`);

/** Takes the results of a room. */
export type Report = (room: string, results: readonly Result[]) => void;

/** Tries mutants of rooms of TypeScript with vitest, in a copy of the tree. All rooms share the run without a mutant. */
export async function measure(root: string, rooms: readonly Room[], choose: Choose, report: Report): Promise<void> {
  const all = findAll(root, unique(rooms.flatMap(({ sources }) => sources)));
  const chosen = new Map(rooms.map((room) => [room, choose(all.filter(({ file }) => room.sources.includes(file)))]));
  const asked = unique([...chosen.values()].flat());
  const tests = unique(rooms.flatMap((room) => room.tests));
  const copy = copyTree(root);
  const runner = new TestRunner(copy.folder);
  const clean = cleanAtExit(() => {
    runner.stop();
    copy.remove();
  });
  try {
    writeMutants(asked, copy.folder);
    buildDist(copy.folder);
    note(`${asked.length} mutants, ${tests.length} test files; first all tests without a mutant`);
    const selection = new TestSelection(tests, await runWithoutMutant(runner, tests));
    for (const [room, mutants] of chosen) {
      const results = await tryAll(mutants, (mutant) => tryMutant(runner, mutant, selection, room));
      report(room.name, results);
    }
  } finally {
    clean();
  }
}

/** @throws Error if a test fails twice */
async function runWithoutMutant(runner: TestRunner, tests: readonly string[]): Promise<TestOutcome> {
  const first = await runner.run({ tests }, FIRST_RUN_LIMIT_MS);
  if (!first) throw mustPass(undefined);
  const failed = unique(first.failures.map(({ file }) => file));
  const again = failed.length === 0 ? undefined : await runner.run({ tests: failed }, FIRST_RUN_LIMIT_MS);
  const [failure] = again?.failures ?? [];
  if (failure) throw mustPass(`${failure.name}, in ${failure.file}`);
  return first;
}

async function tryMutant(
  runner: TestRunner,
  mutant: Mutant,
  selection: TestSelection,
  { tests }: Room,
): Promise<Outcome> {
  const own = selection.of(mutant, tests);
  if (own.length === 0) return NOT_REACHED;
  const run = async (some: readonly string[]): Promise<Outcome & { readonly failure?: Failure | undefined }> => {
    const limit = GRACE_MS + 3 * selection.milliseconds(some);
    const result = await runner.run({ mutant: mutant.id, tests: some }, limit);
    if (!result) return NO_END;
    const [failure] = result.failures;
    return failure
      ? { outcome: "noticed", by: `${failure.name}, in ${failure.file}`, failure }
      : { outcome: "survived" };
  };
  const first = await run(own);
  // A busy machine makes tests time out too, so a time-out counts only if it comes twice.
  if (first === NO_END) return run(own);
  return first.failure?.timedOut ? run(own.slice(own.indexOf(first.failure.file))) : first;
}

/** Tries mutants of rooms of C++ with GoogleTest. One program, built once, has all of them. */
export async function measureNative(
  root: string,
  rooms: readonly Room[],
  choose: Choose,
  report: Report,
): Promise<void> {
  const all = findAllNative(root, unique(rooms.flatMap(({ sources }) => sources)));
  const chosen = new Map(
    rooms.map(({ name, sources }) => [name, choose(all.filter(({ file }) => sources.includes(file)))]),
  );
  const copy = copyTree(root);
  const clean = cleanAtExit(() => copy.remove());
  try {
    const binary = new TestBinary(copy.folder);
    const asked = unique([...chosen.values()].flat());
    note(`${asked.length} mutants of C++; first the tests are built with them`);
    const compiled = new Set(binary.build(asked));
    for (const { file, line, name } of asked.filter((mutant) => !compiled.has(mutant))) {
      note(`${file}:${line} ${name}: does not compile, so it is left out`);
    }
    const first = binary.run(undefined, FIRST_RUN_LIMIT_MS);
    if (!first?.passed) throw mustPass(first?.failure);
    for (const [name, mutants] of chosen) {
      const own = mutants.filter((mutant) => compiled.has(mutant));
      const tried = await tryAll(own, (mutant) => {
        if (!first.reached.has(mutant.id)) return NOT_REACHED;
        const result = binary.run(mutant.id, GRACE_MS + 3 * first.milliseconds);
        if (!result) return NO_END;
        return result.passed ? { outcome: "survived" } : { outcome: "noticed", by: result.failure };
      });
      report(name, tried);
    }
  } finally {
    clean();
  }
}

async function tryAll(
  chosen: readonly Mutant[],
  tryOne: (mutant: Mutant) => Outcome | Promise<Outcome>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const mutant of chosen) {
    const { outcome, by } = await tryOne(mutant);
    results.push({ mutant, outcome, by });
    const place = `${mutant.file}:${mutant.line} ${mutant.name}`;
    note(`${results.length}/${chosen.length} ${place}: ${outcome}${by ? ` (${by})` : ""}`);
  }
  return results;
}

function mustPass(failure: string | undefined): Error {
  return new Error(`The tests must pass without a mutant; failed: ${failure ?? "no end"}.`);
}

/** Finds the mutants of sources, relative to the repository. */
function findAll(root: string, sources: readonly string[]): Mutant[] {
  const found: Mutant[] = [];
  for (const file of sources) found.push(...findMutants(readFileSync(join(root, file), "utf8"), file, found.length));
  return found;
}

const unique = <T>(items: readonly T[]): T[] => [...new Set(items)];

function writeMutants(chosen: readonly Mutant[], folder: string): void {
  for (const file of unique(chosen.map((mutant) => mutant.file))) {
    const path = join(folder, file);
    const own = chosen.filter((mutant) => mutant.file === file);
    writeFileSync(path, insertSwitches(readFileSync(path, "utf8"), own));
  }
}

/** For tests that start the command line: the switches are in it too. */
function buildDist(folder: string): void {
  const tsc = join(folder, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--noCheck"], { cwd: folder, stdio: "inherit" });
}

/** Returns a function that cleans up once. It also runs if a signal ends this process. */
function cleanAtExit(clean: () => void): () => void {
  const end = () => {
    clean();
    process.exit(1);
  };
  const signals = ["SIGINT", "SIGTERM"] as const;
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
    clean();
  };
}
