import { performance } from "node:perf_hooks";
import { SLICE_MS } from "../async/run-steps.js";
/** Not an error: thrown through the schema when the time of a slice is over. */
const SLICE_OVER = Symbol("the time of the slice is over");
/** The slice that runs. A slice has no pauses, so there is at most one. */
let running;
/**
 * Checks a value in slices of some milliseconds and yields between them. A slice begins the check anew; elements of lists
 * (`listOf`) that an earlier slice checked keep their results, so each slice gets further.
 *
 * @param check checks the value with a schema, and has no other effect
 */
export function* checkInSlices(check) {
    const results = new Map();
    for (;;) {
        const checked = runSlice(check, results);
        if (checked)
            return checked.value;
        yield;
    }
}
/** Returns undefined if the time was over first. */
function runSlice(check, results) {
    const outer = running;
    running = { results, until: performance.now() + SLICE_MS };
    try {
        return { value: check() };
    }
    catch (error) {
        if (error !== SLICE_OVER)
            throw error;
        return undefined;
    }
    finally {
        running = outer;
    }
}
/** Returns the results of a list's elements that the running check has so far; undefined if it does not run in slices. */
export function resultsInSlices(list) {
    if (!running)
        return undefined;
    const { results } = running;
    const known = results.get(list) ?? new Map();
    results.set(list, known);
    return known;
}
/** Ends the slice if its time is over. Call this only after a result was kept, because the next slice needs it to get further. */
export function endSliceInTime() {
    if (running && performance.now() >= running.until)
        throw SLICE_OVER;
}
//# sourceMappingURL=sliced-check.js.map