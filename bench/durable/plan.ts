import { sized } from "../sized.js";
import type { SessionShape } from "./sample-calls.js";

/** Sizes that several measurements share. */

export const SHAPE = sized<SessionShape>({ calls: 16, tokens: 16_384 }, { calls: 4, tokens: 512 });

/** The key of the n-th recorded session. */
export const sampleKey = (number: number): string => `sk-bench-session-${number}`;
