import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { insertAll } from "../inserts.js";
import { MUTANT, REACHED } from "../run-protocol.js";
import { findNativeMutants, type NativeMutant, nativeSwitch } from "./mutants.js";

/** A mutant that the compiler refuses is dropped, and the rest is compiled again, so often. */
const MAX_BUILDS = 6;
const ERROR = /^(.+?):(\d+):\d+: (?:fatal )?error: /gm;

export interface NativeOutcome {
  readonly passed: boolean;
  readonly failure: string | undefined;
  readonly milliseconds: number;
  /** Mutants that the tests reached; only without a mutant. */
  readonly reached: ReadonlySet<number>;
}

/** Finds the mutants of C++ sources, relative to the repository. */
export function findAllNative(root: string, sources: readonly string[]): NativeMutant[] {
  const found: NativeMutant[] = [];
  for (const file of sources)
    found.push(...findNativeMutants(readFileSync(join(root, file), "utf8"), file, found.length));
  return found;
}

/** The GoogleTest program of the C++ core, built once with all mutants behind switches. */
export class TestBinary {
  readonly #folder: string;
  readonly #build: string;

  /** @param folder the copy of the tree */
  constructor(folder: string) {
    this.#folder = folder;
    this.#build = join(folder, "build-native");
  }

  /** Writes the mutants into the copy and builds the program. Returns the mutants that compile. */
  build(mutants: readonly NativeMutant[]): NativeMutant[] {
    const originals = new Map(
      [...new Set(mutants.map(({ file }) => file))].map((file) => [
        file,
        readFileSync(join(this.#folder, file), "utf8"),
      ]),
    );
    const header = join(this.#folder, "scripts", "mutation", "native", "switch.h");
    const options = [
      "-DROLLTAPE_BUILD_TESTS=ON",
      "-DCMAKE_BUILD_TYPE=None",
      `-DCMAKE_CXX_FLAGS=-O1 -w -D_GLIBCXX_ASSERTIONS -include ${header}`,
    ];
    this.#command("cmake", ["-S", this.#folder, "-B", this.#build, ...options], true);
    let left = [...mutants];
    for (let round = 0; round < MAX_BUILDS; round++) {
      for (const [file, source] of originals) {
        const own = left.filter((mutant) => mutant.file === file);
        writeFileSync(join(this.#folder, file), insertAll(source, own.flatMap(nativeSwitch)));
      }
      const jobs = String(availableParallelism());
      const output = this.#command("cmake", ["--build", this.#build, "--parallel", jobs, "--", "-k"], false);
      if (output === undefined) return left;
      const places = [...output.matchAll(ERROR)].map(({ 1: path = "", 2: line }) => ({
        file: relative(this.#folder, path),
        line: Number(line),
      }));
      const kept = left.filter((mutant) => !places.some((place) => contains(mutant, originals, place)));
      if (kept.length === left.length) throw new Error(`The C++ tests do not compile:\n${output.slice(-4000)}`);
      left = kept;
    }
    throw new Error(`The C++ tests do not compile after ${MAX_BUILDS} rounds.`);
  }

  /** Runs the tests up to the first failure. Undefined if they did not end in time. */
  run(mutant: number | undefined, limitMilliseconds: number): NativeOutcome | undefined {
    const reachedFile = join(this.#build, "reached.txt");
    rmSync(reachedFile, { force: true });
    const started = performance.now();
    const { status, signal, stdout } = spawnSync(
      join(this.#build, "rolltape_test"),
      ["--gtest_fail_fast", "--gtest_brief=1"],
      {
        cwd: this.#build,
        encoding: "utf8",
        timeout: Math.ceil(limitMilliseconds),
        killSignal: "SIGKILL",
        maxBuffer: 1 << 28,
        env: {
          ...process.env,
          ...(mutant === undefined ? { [REACHED]: reachedFile } : { [MUTANT]: String(mutant) }),
        },
      },
    );
    if (signal === "SIGKILL") return undefined;
    const reached = existsSync(reachedFile) ? readFileSync(reachedFile, "utf8").trim().split("\n").map(Number) : [];
    const failed = /^\[ {2}FAILED {2}\] ([\w./]+)/m.exec(stdout)?.[1];
    return {
      passed: status === 0,
      failure: status === 0 ? undefined : (failed ?? `ended by ${signal ?? `status ${status}`}`),
      milliseconds: performance.now() - started,
      reached: new Set(reached),
    };
  }

  /** Returns the output of a command that failed; undefined if it succeeded. */
  #command(program: string, args: readonly string[], mustSucceed: boolean): string | undefined {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (status === 0) return undefined;
    const output = `${stdout}${stderr}`;
    if (mustSucceed || status === null) throw new Error(`\`${program} ${args.join(" ")}\` failed:\n${output}`);
    return output;
  }
}

/** Returns true if a line of a file is one that the mutant's source has. */
function contains(
  { file, line, node }: NativeMutant,
  originals: ReadonlyMap<string, string>,
  place: { readonly file: string; readonly line: number },
): boolean {
  if (file !== place.file || place.line < line) return false;
  const lines = (originals.get(file) ?? "").slice(node.start, node.end).split("\n").length;
  return place.line < line + lines;
}
