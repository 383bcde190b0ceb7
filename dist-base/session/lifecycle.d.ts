/**
 * - `active`: accepts model calls.
 * - `ended`: accepts rewards and waits for its export.
 * - `exported`: the key is revoked. The data is kept for another export until retention ends. With `acknowledge`, it is kept until
 *   the acknowledgement; if none comes in time, the session is `ended` again.
 * - `expired`: there was no call for too long, or the session was deleted. The data is freed.
 */
export type SessionState = "active" | "ended" | "exported" | "expired";
/**
 * The outcome of an export.
 *
 * - `taken`: the session is exported.
 * - `held`: the session is exported, but is `ended` again if the export is not acknowledged in time.
 * - `left`: the session stays as it was.
 */
export type ExportOutcome = "taken" | "held" | "left";
/** The values of a lifecycle that are stored. */
export interface StoredLifecycle {
    readonly state: SessionState;
    readonly endedAt?: number | undefined;
    readonly freed: boolean;
    readonly held: boolean;
    /** Absent: false. */
    readonly acknowledged?: boolean | undefined;
}
/** The state of a session, the tasks that wait for it to change, and the number of exports being packed. */
export declare class Lifecycle {
    #private;
    /**
     * @param onChange called after each change of the state
     * @param stored the lifecycle of a session that an earlier process started
     */
    constructor(onChange?: () => void, stored?: StoredLifecycle);
    get state(): SessionState;
    get endedAt(): number | undefined;
    get freed(): boolean;
    /** True while the session is exported, but none of its exports is final: each still waits for an acknowledgement. */
    get held(): boolean;
    /** True once an export was acknowledged. There are no further exports, also if the data could not be freed yet. */
    get acknowledged(): boolean;
    /** True while an export of the session is being packed. Calls and rewards are refused until then. */
    get exporting(): boolean;
    /** Ends the session. Returns true if it was active until now. */
    end(): boolean;
    /** Resolves when the session is no longer active, after `milliseconds`, or when the signal aborts. */
    waitEnd(milliseconds: number, signal?: AbortSignal): Promise<void>;
    beginExport(): void;
    /** Ends an export that {@link beginExport} began. */
    endExport(outcome: ExportOutcome): void;
    /** Makes the export of a held session final. */
    acknowledge(): void;
    /** Makes a held session `ended` again. Returns false if it is not held. */
    reopen(): boolean;
    /** Resolves when no export is being packed, or after `milliseconds`. */
    waitSettled(milliseconds?: number): Promise<void>;
    free(state: "exported" | "expired"): void;
}
