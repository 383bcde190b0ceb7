import { readOpenFileLimit } from "../../src/support/open-file-limit.js";
import { sized } from "../sized.js";

/** When the calls of this benchmark begin and end. */

/** Sockets and files of the server besides those of calls. It reserves more than it needs. */
const OTHER_FILES = 600;
/** The server needs two sockets for a call: one to the agent, one to the engine. */
const MOST_CALLS = Math.floor(((readOpenFileLimit() ?? Number.POSITIVE_INFINITY) - OTHER_FILES) / 2);

/** Calls that are open at the same time. Half of them are streamed. Fewer than 10,000 where `ulimit -n` allows no more. */
export const CALLS = Math.min(sized(10_000, 100), MOST_CALLS);
/** Calls that arrive in one second. */
export const ARRIVALS_PER_SECOND = sized(1000, 100);
/** Seconds in which all calls are open and nothing ends. */
const ALL_OPEN_SECONDS = sized(10, 1);
/** Seconds over which the calls end. */
const ENDING_SECONDS = sized(30, 1);
/** Output tokens of a call. */
export const TOKENS = 64;
/** Seconds between two parts of a streamed answer. */
export const PART_SECONDS = 5;

/** Returns the seconds that the engine takes for its n-th call. The calls end evenly, in their order of arrival. */
export function secondsOfCall(n: number): number {
  const arrival = n / ARRIVALS_PER_SECOND;
  const end = CALLS / ARRIVALS_PER_SECOND + ALL_OPEN_SECONDS + (n / CALLS) * ENDING_SECONDS;
  return end - arrival;
}

/** Seconds after the first arrival at which all calls are open. */
export const ALL_OPEN_AT_SECONDS = CALLS / ARRIVALS_PER_SECOND + ALL_OPEN_SECONDS * 0.7;
