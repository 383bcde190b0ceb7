export interface HealthMonitorOptions {
    readonly check: (signal: AbortSignal) => Promise<void>;
    /** Interval between two checks of a healthy server. 0: no checks; only requests show the server's state. */
    readonly intervalMilliseconds: number;
    /** Called when the server becomes unhealthy. */
    readonly onDown?: (() => void) | undefined;
}
/** Checks one server periodically: at a fixed interval while it is healthy, with growing intervals while it is not. */
export declare class HealthMonitor {
    #private;
    constructor(options: HealthMonitorOptions);
    /** True if requests may be sent to the server. This includes a server that was never reached and has not failed. */
    get healthy(): boolean;
    /** State of the server: `unknown` until a request or a check has succeeded or failed. */
    get state(): "up" | "down" | "unknown";
    /** Stops checks until {@link restart}, because the server is paused on purpose. The result of a running check is ignored. */
    suspend(): void;
    /** Assumes that the server is healthy and resumes checks at the fixed interval. */
    restart(): void;
    /** Reports that a request could not reach the server. */
    reportFailure(): void;
    /** Reports that a request was answered. This makes a server healthy again only if there are no checks. */
    reportSuccess(): void;
    /** Reports that the server has answered, perhaps some time ago. */
    reportReached(): void;
    close(): void;
}
