import { basename, dirname } from "node:path";
import type { Mutant } from "./mutants.js";
import type { TestOutcome } from "./test-process.js";

/** Selects the test files that can notice a mutant. */
export class TestSelection {
  readonly #milliseconds = new Map<string, number>();
  readonly #filesOf = new Map<number, Set<string>>();

  /**
   * Takes what a run without a mutant has shown.
   *
   * @param tests the test files of the run
   * @param failed those of them that cannot notice a mutant, because they fail without one
   */
  add(
    tests: readonly string[],
    { milliseconds, reached }: Pick<TestOutcome, "milliseconds" | "reached">,
    failed: readonly string[] = [],
  ): void {
    for (const file of tests) this.#milliseconds.set(file, milliseconds[file] ?? 0);
    const passed = tests.filter((file) => !failed.includes(file));
    for (const { file, atLoad, inTests } of reached) {
      for (const id of atLoad) this.#add(id, passed);
      if (!passed.includes(file)) continue;
      for (const id of inTests) this.#add(id, [file]);
    }
  }

  /** Returns true if the file was part of a run without a mutant. */
  knows(test: string): boolean {
    return this.#milliseconds.has(test);
  }

  /**
   * Returns those of the test files that reach a mutant, the likeliest to notice it first: those whose path resembles the
   * mutated file's, then the quickest.
   *
   * @param limit leaves out those that would begin after this time, in milliseconds
   */
  of({ id, file }: Mutant, tests: readonly string[], limit = Number.POSITIVE_INFINITY): string[] {
    const reaching = this.#filesOf.get(id);
    const sorted = tests
      .filter((test) => reaching?.has(test))
      .toSorted(
        (a, b) => resemblance(b, file) - resemblance(a, file) || this.milliseconds([a]) - this.milliseconds([b]),
      );
    return sorted.filter((_, index) => this.milliseconds(sorted.slice(0, index)) < limit);
  }

  /** How long these tests take without a mutant. */
  milliseconds(tests: readonly string[]): number {
    return tests.reduce((sum, file) => sum + (this.#milliseconds.get(file) ?? 0), 0);
  }

  #add(id: number, files: readonly string[]): void {
    const known = this.#filesOf.get(id) ?? new Set();
    this.#filesOf.set(id, known);
    for (const file of files) known.add(file);
  }
}

/** Returns the number of folders below `test` and `src` that two paths share from the top, and many more for the same name. */
function resemblance(test: string, source: string): number {
  const [folders, others] = [dirname(test).split("/").slice(1), dirname(source).split("/").slice(1)];
  const differs = folders.findIndex((folder, depth) => folder !== others[depth]);
  const shared = differs < 0 ? folders.length : differs;
  return shared + (basename(test, ".test.ts") === basename(source, ".ts") ? 100 : 0);
}
