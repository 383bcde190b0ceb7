import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { copyTree } from "./copy-tree.js";
import { findMutants, insertSwitches, type Mutant } from "./mutants.js";
import { findAllNative, TestBinary } from "./native/test-binary.js";
import type { Result } from "./report.js";
import type { Room } from "./rooms.js";
import { TestSelection } from "./select-tests.js";
import { TestRunner } from "./test-runner.js";

/** Chooses the mutants to try, of all mutants of a room. */
export type Choose = <M extends Mutant>(all: readonly M[]) => M[];

type Outcome = Omit<Result, "mutant">;

const FIRST_RUN_LIMIT_MS = 1_800_000;
/** A run with a mutant may take this and three times as long as without. */
const GRACE_MS = 20_000;
/** Two use two cores well, because tests wait a lot. */
const RUNNERS = 2;
/**
 * Tests of a group that a mutant is tried with, by how long they take without one. Half of the server's tests reach a mutant of
 * `src/http`: to run them all takes minutes, and rarely notices what its own tests and the likeliest others have missed.
 */
const GROUP_LIMITS_MS = [Number.POSITIVE_INFINITY, 40_000, 60_000];
/** The first run of a mutant's tests has those that take this long together, and one more. */
const LIKELIEST_MS = 5_000;
const NOT_REACHED: Outcome = { outcome: "not reached" };
const NO_END: Outcome = { outcome: "noticed", by: "took too long, or crashed" };

/** How much longer a run may take if other work keeps the processor busy: without this, every mutant would look noticed. */
const patience = (): number => Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());

const note = (line: string) => void process.stderr.write(`${line}\n`);

/** Takes the results of a room. */
export type Report = (room: string, results: readonly Result[]) => void;

/** Tries mutants of rooms of TypeScript with vitest, in a copy of the tree. Rooms share runs without a mutant. */
export async function measure(root: string, rooms: readonly Room[], choose: Choose, report: Report): Promise<void> {
  const all = findAll(root, unique(rooms.flatMap(({ sources }) => sources)));
  const chosen = new Map(rooms.map((room) => [room, choose(all.filter(({ file }) => room.sources.includes(file)))]));
  const copy = copyTree(root);
  const runners = Array.from({ length: RUNNERS }, () => new TestRunner(copy.folder));
  const clean = cleanAtExit(() => {
    for (const runner of runners) runner.stop();
    copy.remove();
  });
  try {
    buildPage(copy.folder);
    writeMutants(unique([...chosen.values()].flat()), copy.folder);
    buildDist(copy.folder);
    const selection = new TestSelection();
    for (const [{ name, tests }, mutants] of chosen) {
      const results = new Map<Mutant, Result>(mutants.map((mutant) => [mutant, { mutant, ...NOT_REACHED }]));
      for (const [place, group] of tests.entries()) {
        const left = mutants.filter((mutant) => results.get(mutant)?.outcome !== "noticed");
        if (left.length === 0 || group.length === 0) continue;
        await runWithoutMutant(runners, group, selection);
        note(`${name}: ${left.length} mutants, ${group.length} test files`);
        const likeliest = (mutant: Mutant) => selection.of(mutant, group, GROUP_LIMITS_MS[place]);
        const tryOnes = runners.map(
          (runner) => (mutant: Mutant) => tryMutant(runner, mutant, selection, likeliest(mutant)),
        );
        for (const result of await tryAll(left, tryOnes)) {
          if (result.outcome !== "not reached") results.set(result.mutant, result);
        }
      }
      report(name, [...results.values()]);
    }
  } finally {
    clean();
  }
}

/** Runs those of the tests that have not run without a mutant yet. */
async function runWithoutMutant(
  runners: readonly TestRunner[],
  tests: readonly string[],
  selection: TestSelection,
): Promise<void> {
  const missing = tests.filter((test) => !selection.knows(test));
  note(`${missing.length} test files without a mutant`);
  await Promise.all(
    runners.map(async (runner, share) => {
      const own = missing.filter((_, index) => index % runners.length === share);
      if (own.length > 0) await runShare(runner, own, selection);
    }),
  );
}

/** A busy machine makes a test fail now and then, so what fails runs again. What fails twice cannot notice a mutant. */
async function runShare(runner: TestRunner, tests: readonly string[], selection: TestSelection): Promise<void> {
  const outcome = await runner.run({ tests }, FIRST_RUN_LIMIT_MS);
  if (!outcome) throw mustPass(undefined);
  const failed = unique(outcome.failures.map(({ file }) => file));
  const again = failed.length === 0 ? undefined : await runner.run({ tests: failed }, FIRST_RUN_LIMIT_MS);
  const failures = again?.failures ?? [];
  for (const { name, file } of failures) note(`${file} fails without a mutant, so it is left out: ${name}`);
  selection.add(tests, outcome, unique(failures.map(({ file }) => file)));
}

async function tryMutant(
  runner: TestRunner,
  mutant: Mutant,
  selection: TestSelection,
  own: readonly string[],
): Promise<Outcome> {
  if (own.length === 0) return NOT_REACHED;
  // In two runs: one that never ends is stopped sooner if it has few tests.
  const likeliest = own.filter((_, index) => selection.milliseconds(own.slice(0, index)) < LIKELIEST_MS);
  for (const some of [likeliest, own.slice(likeliest.length)]) {
    const outcome = await tryTests(runner, mutant, selection, some);
    if (outcome.outcome === "noticed") return outcome;
  }
  return { outcome: "survived" };
}

/** A busy machine makes tests time out too, so a time-out counts only if it comes twice. */
async function tryTests(
  runner: TestRunner,
  { id }: Mutant,
  selection: TestSelection,
  tests: readonly string[],
): Promise<Outcome> {
  let left = tests;
  let timeOuts = 0;
  while (left.length > 0) {
    const limit = (GRACE_MS + 3 * selection.milliseconds(left)) * patience();
    const result = await runner.run({ mutant: id, tests: left }, limit);
    if (!result && timeOuts++ > 0) return NO_END;
    const failure = result?.failures[0];
    if (result && !failure) break;
    if (failure && !(failure.timedOut && timeOuts++ === 0)) {
      return { outcome: "noticed", by: `${failure.name}, in ${failure.file}` };
    }
    if (failure) left = left.slice(left.indexOf(failure.file));
  }
  return { outcome: "survived" };
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
      const tryOne = (mutant: Mutant): Outcome => {
        if (!first.reached.has(mutant.id)) return NOT_REACHED;
        const result = binary.run(mutant.id, (GRACE_MS + 3 * first.milliseconds) * patience());
        if (!result) return NO_END;
        return result.passed ? { outcome: "survived" } : { outcome: "noticed", by: result.failure };
      };
      report(name, await tryAll(own, [tryOne]));
    }
  } finally {
    clean();
  }
}

/** @param tryOnes each tries one mutant at a time */
async function tryAll<M extends Mutant>(
  chosen: readonly M[],
  tryOnes: readonly ((mutant: M) => Outcome | Promise<Outcome>)[],
): Promise<Result[]> {
  const results: Result[] = [];
  const left = chosen.entries();
  let done = 0;
  const tryNext = async (tryOne: (mutant: M) => Outcome | Promise<Outcome>): Promise<void> => {
    for (const [index, mutant] of left) {
      const { outcome, by } = await tryOne(mutant);
      results[index] = { mutant, outcome, by };
      const place = `${mutant.file}:${mutant.line} ${mutant.name}`;
      note(`${++done}/${chosen.length} ${place}: ${outcome}${by ? ` (${by})` : ""}`);
    }
  };
  await Promise.all(tryOnes.map(tryNext));
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

/** For tests that open the viewer in a browser or run llama.cpp. Built without switches, which a browser has no environment for. */
function buildPage(folder: string): void {
  const vite = join(folder, "node_modules", "vite", "bin", "vite.js");
  for (const config of ["vite.page.config.ts", "vite.llama.config.ts"]) {
    execFileSync(process.execPath, [vite, "build", "--config", config], { cwd: folder, stdio: "inherit" });
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
