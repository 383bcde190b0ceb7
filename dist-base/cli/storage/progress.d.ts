/** The part of standard error that the progress is written to. */
interface Terminal {
    readonly isTTY?: boolean;
    write(text: string): unknown;
}
/** Shows on a terminal how many sessions a command has read. The command reads without a pause, so there is no timer. */
export declare class SessionProgress {
    #private;
    /** @param verb what is done with the sessions, for example `verified` */
    constructor(verb: string, terminal?: Terminal, now?: () => number);
    /** Counts a session. */
    step(total: number): void;
    /** Removes the line, so that something else can be printed. */
    clear(): void;
}
export {};
