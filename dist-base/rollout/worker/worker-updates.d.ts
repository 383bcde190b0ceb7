import { type Updates, type WireReport, type WireSession } from "../lease/protocol.js";
export interface WorkerUpdatesOptions {
    /** Sends one call. */
    readonly send: (sessions: readonly WireSession[], reports: readonly WireReport[]) => Promise<Updates>;
    /** Return how long a session and a report wait for others, in milliseconds. */
    readonly pauses: {
        readonly session: () => number;
        readonly report: () => number;
    };
}
/**
 * Sends sessions and reports of a rollout worker to its controller. Those that are added during a pause, or while a call is running,
 * share the next call.
 */
export declare class WorkerUpdates {
    #private;
    constructor(options: WorkerUpdatesOptions);
    /** Announces a session. Returns false if its lease is lost. */
    announce(session: WireSession): Promise<boolean>;
    /** Reports a result. Returns false if it comes too late. */
    report(report: WireReport): Promise<boolean>;
}
