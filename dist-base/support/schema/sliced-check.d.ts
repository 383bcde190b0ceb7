import type { Steps } from "../async/steps.js";
/**
 * Checks a value in slices of some milliseconds and yields between them. A slice begins the check anew; elements of lists
 * (`listOf`) that an earlier slice checked keep their results, so each slice gets further.
 *
 * @param check checks the value with a schema, and has no other effect
 */
export declare function checkInSlices<T>(check: () => T): Steps<T>;
/** Returns the results of a list's elements that the running check has so far; undefined if it does not run in slices. */
export declare function resultsInSlices<T>(list: object): Map<object, T> | undefined;
/** Ends the slice if its time is over. Call this only after a result was kept, because the next slice needs it to get further. */
export declare function endSliceInTime(): void;
