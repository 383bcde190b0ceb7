import type { BatchFiles } from "./batch-files.js";
import { type TranscriptExamples } from "./examples.js";
import type { RolloutTally } from "./tally.js";
export interface RolloutSummary {
    readonly tally: RolloutTally;
    /** Number of tasks of the job, including those that were never started. */
    readonly tasks: number;
    readonly groupSize: number;
    readonly seconds: number;
    /** Number of tokens that the engine sampled, including those of rejected episodes. */
    readonly sampledTokens: number;
    readonly batches: BatchFiles;
    /** File with the errors of rejected episodes; undefined if there are none. */
    readonly errors: string | undefined;
    /** Undefined if the job wrote no transcript. */
    readonly transcript?: TranscriptExamples | undefined;
    /** True if the job was stopped before its end. */
    readonly stopped: boolean;
}
/** Returns the summary that `rolltape rollout` prints. */
export declare function describeRollout(summary: RolloutSummary): string;
