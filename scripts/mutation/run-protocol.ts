/** What the process that runs tests and the set-up file inside the tests say to each other. */

/** Environment: id of the mutant that is switched on; absent: none. */
export const MUTANT = "ROLLTAPE_MUTANT";

/** Environment: folder into which each test file writes what it {@link Reached}; absent: nowhere. */
export const REACHED = "ROLLTAPE_REACHED";

/** Mutants that the tests of a file reach. */
export interface Reached {
  readonly file: string;
  /** Reached when modules are loaded: by the first file that needs the module, on behalf of all. */
  readonly atLoad: readonly number[];
  readonly inTests: readonly number[];
}

/** Message of the error by which test files are left out after a failed test. */
export const DECIDED = "a test of an earlier file failed";
