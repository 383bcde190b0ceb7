import { readOpenFileLimit } from "../../src/support/open-file-limit.js";
import { sized } from "../sized.js";

/** When the calls of this benchmark begin and end. */

/** Sockets and files of a process besides those of calls. */
const OTHER_FILES = 600;
/** Files that the server, the agents and the engine may have open, each for itself. */
const MOST_FILES = readOpenFileLimit() ?? Number.POSITIVE_INFINITY;

/** Calls that are open at the same time. Half of them are streamed. Fewer than 10,000 where `ulimit -n` allows no more. */
export const CALLS = Math.min(sized(10_000, 100), MOST_FILES - 2 * OTHER_FILES);
/**
 * Calls that run at the engine at the same time. The server needs two sockets for each of them, and one for a call that waits.
 * Fewer than {@link CALLS} where `ulimit -n` allows no more: the other calls are open, and wait for a place.
 */
export const INFLIGHT = Math.min(CALLS, MOST_FILES - CALLS - OTHER_FILES);
/** Calls that arrive in one second. */
export const ARRIVALS_PER_SECOND = sized(1000, 100);
/** Seconds in which all calls are open and nothing ends. */
const ALL_OPEN_SECONDS = sized(10, 1, 5);
/** Seconds over which the calls end. */
const ENDING_SECONDS = sized(30, 1, 10);
/** Output tokens of a call. */
export const TOKENS = 64;
/** Seconds between two parts of a streamed answer. */
export const PART_SECONDS = 5;

/**
 * Returns the seconds that the engine takes for its n-th call. The calls end evenly, in their order of arrival. Those that had to wait
 * for a place end soon after they got it.
 */
export function secondsOfCall(n: number): number {
  if (n >= INFLIGHT) return PART_SECONDS;
  const arrival = n / ARRIVALS_PER_SECOND;
  const end = CALLS / ARRIVALS_PER_SECOND + ALL_OPEN_SECONDS + (n / CALLS) * ENDING_SECONDS;
  return end - arrival;
}

/** Seconds after the first arrival at which all calls are open. */
export const ALL_OPEN_AT_SECONDS = CALLS / ARRIVALS_PER_SECOND + ALL_OPEN_SECONDS * 0.7;
