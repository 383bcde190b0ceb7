// Measures how many small faults the tests of a room notice.
//
//   npm run test:mutation -- session                        a sample of 60 mutants of src/session
//   npm run test:mutation -- gateway --sample 40 --seed 2   another one
//   npm run test:mutation -- server --only "dropped"         a sample of those whose name has this text
//   npm run test:mutation -- session --at src/session/registry.ts:190 --at src/session/keys.ts
//                                                           all mutants of a line and of a file
//
// A mutant is a fault in one place: a condition that always holds, `&&` in place of `||`, a dropped call (operators.ts has
// all). The sampled mutants are written into a copy of the tree in a temporary folder, each behind a switch. The room's
// tests run once without a fault, which shows the test files that reach each mutant. Then those run for each mutant, up to
// the first failure, the quickest files first. A run that takes far longer than without the fault counts as noticed.
//
// Prints the survivors as a table and the score: mutants that were noticed, of all in the sample. Not every survivor needs
// a test: some change nothing that anybody can see. Texts of errors and of the log are not mutated. The score belongs to
// its sample; the same tree, sample and seed give the same mutants. A failing test counts whatever it fails of, so run this
// on a quiet machine.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyTree } from "./copy-tree.js";
import { findMutants, insertSwitches, type Mutant } from "./mutants.js";
import { type Result, table } from "./report.js";
import { findRoom, type Room } from "./rooms.js";
import { sample } from "./sample.js";
import { TestSelection } from "./select-tests.js";
import { TestRunner } from "./test-runner.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FIRST_RUN_LIMIT_MS = 1_800_000;
/** A run with a mutant may take this and three times as long as without. */
const GRACE_MS = 20_000;

const note = (line: string) => void process.stderr.write(`${line}\n`);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    at: { type: "string", multiple: true, default: [] },
  },
});
const [name] = positionals;
if (name === undefined || positionals.length > 1) {
  throw new Error("Usage: npm run test:mutation -- ROOM [--sample N] [--seed N] [--only TEXT] [--at FILE[:LINE]]…");
}
const [size, seed] = [wholeNumber("sample"), wholeNumber("seed")];
const room = findRoom(ROOT, name);
const mutants = choose(allMutants(room));
const copy = copyTree(ROOT);
const runner = new TestRunner(copy.folder);
const clean = () => {
  runner.stop();
  copy.remove();
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    clean();
    process.exit(1);
  });
}
try {
  writeMutants(mutants, copy.folder);
  buildDist(copy.folder);
  const results = await tryAll(mutants, room);
  const kind = values.only === "" ? "" : `"${values.only}", `;
  const chosenBy = values.at.length > 0 ? values.at.join(", ") : `sample ${size}, seed ${seed}`;
  process.stdout.write(table(results, `${name} (${kind}${chosenBy})`));
} finally {
  clean();
}

function wholeNumber(option: "sample" | "seed"): number {
  const value = Number(values[option]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`\`--${option}\` must be a whole number; received ${values[option]}.`);
}

function allMutants({ sources }: Room): Mutant[] {
  const found: Mutant[] = [];
  for (const file of sources) found.push(...findMutants(readFileSync(join(ROOT, file), "utf8"), file, found.length));
  return found;
}

function choose(all: readonly Mutant[]): Mutant[] {
  const named = all.filter((mutant) => mutant.name.includes(values.only));
  if (values.at.length === 0) return sample(named, size, seed);
  return named.filter(({ file, line }) => values.at.some((place) => place === file || place === `${file}:${line}`));
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

async function tryAll(chosen: readonly Mutant[], { tests }: Room): Promise<Result[]> {
  note(`${chosen.length} mutants, ${tests.length} test files; first all tests without a mutant`);
  const first = await runner.run({ tests }, FIRST_RUN_LIMIT_MS);
  if (!first?.passed) throw new Error(`The tests must pass without a mutant; failed: ${first?.failure ?? "no end"}.`);
  const selection = new TestSelection(tests, first);
  const results: Result[] = [];
  for (const mutant of chosen) {
    results.push({ mutant, ...(await tryOne(mutant, selection)) });
    const { outcome, by } = results.at(-1) ?? {};
    note(
      `${results.length}/${chosen.length} ${mutant.file}:${mutant.line} ${mutant.name}: ${outcome}${by ? ` (${by})` : ""}`,
    );
  }
  return results;
}

async function tryOne(mutant: Mutant, selection: TestSelection): Promise<Omit<Result, "mutant">> {
  const tests = selection.of(mutant);
  if (tests.length === 0) return { outcome: "not reached" };
  const limit = GRACE_MS + 3 * selection.milliseconds(tests);
  const result = await runner.run({ mutant: mutant.id, tests }, limit);
  if (!result) return { outcome: "noticed", by: "took too long, or crashed" };
  return result.passed ? { outcome: "survived" } : { outcome: "noticed", by: result.failure };
}
