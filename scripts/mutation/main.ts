// Measures how many small faults the tests of each room notice.
//
//   npm run test:mutation                                   every room, C++ included: takes a night
//   npm run test:mutation -- session storage                a sample of 40 mutants of src/session, and one of src/storage
//   npm run test:mutation -- native/core native/memory      the same of C++
//   npm run test:mutation -- gateway --sample 60 --seed 2   another sample
//   npm run test:mutation -- server --only "dropped"        a sample of those whose name has this text
//   npm run test:mutation -- session --at src/session/registry.ts:190 --at src/session/keys.ts
//                                                           all mutants of a line and of a file
//   npm run test:mutation -- session --tests test/session   the same sample with the tests of this folder, or this file, only
//   npm run test:mutation -- session http --quick           each with the quick tests of its own folder only: a lower bound
//
// A mutant is a fault in one place: a condition that always holds, `&&` in place of `||`, a dropped call (operators.ts has
// all, native/mutants.ts those of C++). The sampled mutants are written into a copy of the tree in a temporary folder, each
// behind a switch. The quick tests of the room's own folder run once without a fault, which shows the test files that reach each
// mutant. Then those run for each mutant, up to the first failure: first the files whose path resembles the mutated file's, then
// the quickest. Mutants that are left are tried with 40 s of the tests of other folders, and at last with a minute of slow tests.
// So a survivor may be noticed by a distant test: the score is a lower bound.
// The tests of C++ are one program, which is built once and run for each mutant. A run that takes far longer than without the
// fault counts as noticed. A time-out of TypeScript counts if it comes twice, because a busy machine causes one too. Rooms that
// are named together share the copy and the run without a fault.
//
// Prints for each room the survivors as a table and the score: mutants that were noticed, of all in the sample. Survivors
// that change nothing that anybody can see are listed in equivalents.ts with a reason, at most two a room, and do not count.
// The exit status is 1 if a score is below `--least` (default 92 percent). Texts of errors and of the log are not mutated.
// The score belongs to its sample; the same tree, sample and seed give the same mutants.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { equivalents } from "./equivalents.js";
import { measure, measureNative } from "./measure.js";
import type { Mutant } from "./mutants.js";
import { percentNoticed, type Result, table } from "./report.js";
import { findRoom, listRooms, type Room } from "./rooms.js";
import { sample } from "./sample.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    least: { type: "string", default: "92" },
    only: { type: "string", default: "" },
    at: { type: "string", multiple: true, default: [] },
    tests: { type: "string", default: "" },
    quick: { type: "boolean", default: false },
  },
});
const [size, seed, least] = [wholeNumber("sample"), wholeNumber("seed"), wholeNumber("least")];
const rooms = (positionals.length > 0 ? positionals : listRooms(ROOT))
  .map((name) => findRoom(ROOT, name))
  .map((room) => ({ ...room, tests: chooseTests(room) }));
const isNative = ({ sources: [first = ""] }: Room) => !first.startsWith("src");

const scores: string[] = [];
const [native, script] = [rooms.filter(isNative), rooms.filter((room) => !isNative(room))];
if (script.length > 0) await measure(ROOT, script, choose, report);
if (native.length > 0) await measureNative(ROOT, native, choose, report);
process.stdout.write(`${scores.join("\n")}\n`);

function report(name: string, tried: readonly Result[]): void {
  const results = tried.map((result) =>
    result.outcome !== "noticed" && isEquivalent(result.mutant)
      ? { ...result, outcome: "equivalent" as const }
      : result,
  );
  const kind = values.only === "" ? "" : `"${values.only}", `;
  const chosenBy = values.at.length > 0 ? values.at.join(", ") : `sample ${size}, seed ${seed}`;
  process.stdout.write(`${table(results, `${name} (${kind}${chosenBy})`)}\n`);
  const percent = percentNoticed(results);
  if (percent < least) process.exitCode = 1;
  scores.push(`${name}: ${percent} %${percent < least ? `, below ${least} %` : ""}`);
}

function chooseTests({ tests }: Room): string[][] {
  const groups = values.quick ? tests.slice(0, 1) : tests;
  return groups.map((group) => group.filter((file) => file.startsWith(values.tests)));
}

function isEquivalent({ file, line, name }: Mutant): boolean {
  const source = readFileSync(join(ROOT, file), "utf8").split("\n")[line - 1]?.trim();
  return equivalents.some((each) => each.file === file && each.name === name && each.source === source);
}

function wholeNumber(option: "sample" | "seed" | "least"): number {
  const value = Number(values[option]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`\`--${option}\` must be a whole number; received ${values[option]}.`);
}

function choose<M extends Mutant>(all: readonly M[]): M[] {
  const named = all.filter((mutant) => mutant.name.includes(values.only));
  if (values.at.length === 0) return sample(named, size, seed);
  return named.filter(({ file, line }) => values.at.some((place) => place === file || place === `${file}:${line}`));
}
