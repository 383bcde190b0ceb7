import { performance } from "node:perf_hooks";
import { SLICE_MS } from "../async/run-steps.js";
import type { Steps } from "../async/steps.js";

/** Not an error: thrown through the schema when the time of a slice is over. */
const SLICE_OVER = Symbol("the time of the slice is over");

/** Results of checked list elements, by list schema. */
type Results = Map<object, Map<object, unknown>>;

interface Slice {
  readonly results: Results;
  readonly until: number;
}

/** The slice that runs. A slice has no pauses, so there is at most one. */
let running: Slice | undefined;

/**
 * Checks a value in slices of some milliseconds and yields between them. A slice begins the check anew; elements of lists
 * (`listOf`) that an earlier slice checked keep their results, so each slice gets further.
 *
 * @param check checks the value with a schema, and has no other effect
 */
export function* checkInSlices<T>(check: () => T): Steps<T> {
  const results: Results = new Map();
  for (;;) {
    const checked = runSlice(check, results);
    if (checked) return checked.value;
    yield;
  }
}

/** Returns undefined if the time was over first. */
function runSlice<T>(check: () => T, results: Results): { readonly value: T } | undefined {
  const outer = running;
  running = { results, until: performance.now() + SLICE_MS };
  try {
    return { value: check() };
  } catch (error) {
    if (error !== SLICE_OVER) throw error;
    return undefined;
  } finally {
    running = outer;
  }
}

/** Returns the results of a list's elements that the running check has so far; undefined if it does not run in slices. */
export function resultsInSlices<T>(list: object): Map<object, T> | undefined {
  if (!running) return undefined;
  const { results } = running;
  const known = results.get(list) ?? new Map<object, unknown>();
  results.set(list, known);
  return known as Map<object, T>;
}

/** Ends the slice if its time is over. Call this only after a result was kept, because the next slice needs it to get further. */
export function endSliceInTime(): void {
  if (running && performance.now() >= running.until) throw SLICE_OVER;
}
