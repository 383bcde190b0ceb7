import type { ConfigProblem } from "./errors.js";
/** A configuration in the spelling that the schema reads. */
export interface NormalizedConfig {
    readonly value: unknown;
    readonly problems: readonly ConfigProblem[];
}
/**
 * Normalizes what users may write in several ways: `rollout.compat` becomes `rollout.agent`, an empty section becomes a
 * map without keys, and a single value becomes a list if its key is a list.
 */
export declare function normalizeSpelling(written: unknown): NormalizedConfig;
