import type { Mutant } from "./mutants.js";
import type { TestOutcome } from "./test-process.js";

/** Says which test files can notice a mutant. */
export class TestSelection {
  readonly #milliseconds: TestOutcome["milliseconds"];
  readonly #filesOf = new Map<number, Set<string>>();

  /**
   * @param tests all test files
   * @param outcome of all of them without a mutant
   */
  constructor(tests: readonly string[], { milliseconds, reached }: TestOutcome) {
    this.#milliseconds = milliseconds;
    for (const { file, atLoad, inTests } of reached) {
      for (const id of atLoad) this.#add(id, tests);
      for (const id of inTests) this.#add(id, [file]);
    }
  }

  /** The test files that reach a mutant, the quickest first. */
  of({ id }: Mutant): string[] {
    return [...(this.#filesOf.get(id) ?? [])].toSorted((a, b) => this.milliseconds([a]) - this.milliseconds([b]));
  }

  /** How long these tests take without a mutant. */
  milliseconds(tests: readonly string[]): number {
    return tests.reduce((sum, file) => sum + (this.#milliseconds[file] ?? 0), 0);
  }

  #add(id: number, files: readonly string[]): void {
    const known = this.#filesOf.get(id) ?? new Set();
    this.#filesOf.set(id, known);
    for (const file of files) known.add(file);
  }
}
