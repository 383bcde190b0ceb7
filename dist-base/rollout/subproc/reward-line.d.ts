import type { Readable } from "node:stream";
export interface ReadReward {
    /** Undefined if there is no reward. */
    readonly value: unknown;
    /**
     * Number of earlier lines that are numbers, if the reward is not in a line `{"reward": …}`. One may have been meant.
     */
    readonly otherNumbers: number;
}
/**
 * Finds the reward in a program's standard output: the value of the last line `{"reward": …}`, else the last line that
 * is not empty, if it is a JSON number or object.
 */
export declare class RewardLine {
    #private;
    constructor(stream: Readable);
    /** Returns the reward. Call it when the output has ended. */
    end(): ReadReward;
}
