import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyTree } from "./copy-tree.js";
import { insertSwitches, type Mutant } from "./mutants.js";
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
const NOT_REACHED: Outcome = { outcome: "not reached" };
const NO_END: Outcome = { outcome: "noticed", by: "took too long, or crashed" };

const note = (line: string) => void process.stderr.write(`${line}\n`);

/** Tries mutants of a room of TypeScript with vitest, in a copy of the tree. */
export async function measure(root: string, { tests }: Room, chosen: readonly Mutant[]): Promise<Result[]> {
  const copy = copyTree(root);
  const runner = new TestRunner(copy.folder);
  const clean = cleanAtExit(() => {
    runner.stop();
    copy.remove();
  });
  try {
    writeMutants(chosen, copy.folder);
    buildDist(copy.folder);
    note(`${chosen.length} mutants, ${tests.length} test files; first all tests without a mutant`);
    const first = await runner.run({ tests }, FIRST_RUN_LIMIT_MS);
    if (!first?.passed) throw mustPass(first?.failure);
    const selection = new TestSelection(tests, first);
    return await tryAll(chosen, async (mutant) => {
      const own = selection.of(mutant);
      if (own.length === 0) return NOT_REACHED;
      const limit = GRACE_MS + 3 * selection.milliseconds(own);
      const result = await runner.run({ mutant: mutant.id, tests: own }, limit);
      if (!result) return NO_END;
      return result.passed ? { outcome: "survived" } : { outcome: "noticed", by: result.failure };
    });
  } finally {
    clean();
  }
}

/** Tries mutants of rooms of C++ with GoogleTest. One program, built once, has all of them. Returns the results by room. */
export async function measureNative(
  root: string,
  rooms: readonly Room[],
  choose: Choose,
): Promise<Map<string, Result[]>> {
  const all = findAllNative(root, [...new Set(rooms.flatMap(({ sources }) => sources))]);
  const chosen = new Map(
    rooms.map(({ name, sources }) => [name, choose(all.filter(({ file }) => sources.includes(file)))]),
  );
  const copy = copyTree(root);
  const clean = cleanAtExit(() => copy.remove());
  try {
    const binary = new TestBinary(copy.folder);
    const asked = [...new Set([...chosen.values()].flat())];
    note(`${asked.length} mutants of C++; first the tests are built with them`);
    const compiled = new Set(binary.build(asked));
    for (const { file, line, name } of asked.filter((mutant) => !compiled.has(mutant))) {
      note(`${file}:${line} ${name}: does not compile, so it is left out`);
    }
    const first = binary.run(undefined, FIRST_RUN_LIMIT_MS);
    if (!first?.passed) throw mustPass(first?.failure);
    const results = new Map<string, Result[]>();
    for (const [name, mutants] of chosen) {
      const own = mutants.filter((mutant) => compiled.has(mutant));
      const tried = await tryAll(own, (mutant) => {
        if (!first.reached.has(mutant.id)) return NOT_REACHED;
        const result = binary.run(mutant.id, GRACE_MS + 3 * first.milliseconds);
        if (!result) return NO_END;
        return result.passed ? { outcome: "survived" } : { outcome: "noticed", by: result.failure };
      });
      results.set(name, tried);
    }
    return results;
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

function writeMutants(chosen: readonly Mutant[], folder: string): void {
  for (const file of new Set(chosen.map((mutant) => mutant.file))) {
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
