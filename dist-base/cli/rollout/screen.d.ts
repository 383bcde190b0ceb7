/**
 * Standard error while a job runs. On a terminal the last line is a progress bar, and everything else appears above it.
 * Standard output is reserved for the summary: what agents write to it goes to standard error.
 */
export declare class RolloutScreen implements Disposable {
    #private;
    readonly isTerminal: boolean;
    constructor();
    /** Sets the last line of the terminal, cut to its width. */
    set status(text: string);
    /** Ends the progress bar. Its last text stays, and later output appears below it. */
    endStatus(): void;
    /** Writes one line, never in the middle of another one. */
    line(text: string): void;
    /** Destination of log lines. On a terminal JSON lines become text, and repeated ones are counted. */
    readonly log: {
        write: (lines: string) => void;
    };
    /** Writes incomplete lines, and restores standard output and standard error. */
    [Symbol.dispose](): void;
}
