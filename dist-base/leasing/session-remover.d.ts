export interface SessionRemoverOptions {
    /** Deletes a session of the proxy. Resolves if the session does not exist either. */
    readonly remove: (sessionId: string) => Promise<unknown>;
    /** Deletes the active sessions that the proxy has of a lease. */
    readonly removeLease: (leaseId: string) => Promise<unknown>;
    /** Is called when a session is deleted. */
    readonly onRemoved?: ((sessionId: string) => void) | undefined;
    /** Is called when the sessions of a lease are deleted. */
    readonly onLeaseRemoved?: ((leaseId: string) => void) | undefined;
    /** Time after which the proxy has handled everything that a worker sent before it died. Default 2000. */
    readonly settleMilliseconds?: number | undefined;
}
/** Deletes the sessions of runs that do not count. Repeats a deletion until the proxy answers it. */
export declare class SessionRemover {
    #private;
    constructor(options: SessionRemoverOptions);
    /** Number of sessions that are not deleted yet. */
    get pending(): number;
    add(sessionIds: readonly string[]): void;
    /** Deletes the active sessions of lost leases: also those that their workers did not announce. */
    addLeases(leaseIds: readonly string[]): void;
    /** Waits for all deletions, at most for `seconds`. Those that are left are given up. */
    close(seconds: number): Promise<void>;
}
