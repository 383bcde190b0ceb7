import type { ChildProcess } from "node:child_process";
/** How a child process ended. */
export type ChildEnd = {
    readonly how: "exit";
    readonly code: number;
} | {
    readonly how: "signal";
    readonly signal: NodeJS.Signals;
} | {
    readonly how: "not_started";
    readonly error: Error;
};
export interface EndWatch {
    /** Resolves when the process exits or could not be started. */
    readonly exited: Promise<ChildEnd>;
    /** Resolves when the process has exited and its output was read. */
    readonly ended: Promise<ChildEnd>;
}
/** Observes the end of a process. Call it directly after the process is spawned, before its events are emitted. */
export declare function watchEnd(child: ChildProcess): EndWatch;
/** Returns how a process ended, for people: `status 1`, the name of a signal, or why it could not be started. */
export declare function describeEnd(end: ChildEnd): string;
