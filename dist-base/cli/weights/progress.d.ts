import type { WeightsStatus } from "../../client/weight-calls.js";
/** The part of standard error that the progress is written to. */
interface Terminal {
    readonly isTTY?: boolean;
    write(text: string): unknown;
}
/** Shows on a terminal how far a weight update is. */
export declare class WeightsProgress {
    #private;
    constructor(terminal: Terminal);
    show({ state, targetVersion, servers, pausedSeconds }: WeightsStatus): void;
    /** Removes the line, so that something else can be printed. */
    clear(): void;
}
export {};
