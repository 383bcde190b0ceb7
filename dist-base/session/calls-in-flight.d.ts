import { type Attempt } from "./attempt.js";
import type { RequestAttempts } from "./attempts.js";
import { SessionError } from "./errors.js";
/** One model call in flight. */
export interface InFlightCall {
    readonly attempt: Attempt;
    readonly retryCount: number;
    readonly controller: AbortController;
}
/** Identifies a request, so that attempts at the same request can be matched. */
export interface RequestIdentity {
    /** Digest of the request's content. Equal for all attempts at a request. */
    readonly requestKey: string;
    /** How often the client had sent the request before, as its SDK reports. */
    readonly retryCount: number;
    /** The header `idempotency-key`: equal for all attempts at a request, different for other requests. */
    readonly idempotencyKey?: string | undefined;
}
/** The model calls that a session has in flight. */
export declare class CallsInFlight {
    #private;
    constructor(attempts: RequestAttempts);
    get size(): number;
    /**
     * Begins a call.
     *
     * If it is a retry with the `idempotency-key` of a call in flight, it aborts that call. Without a key the call in
     * flight may be another sample of the same prompt, whose client still waits for it. If retries arrive in the wrong order,
     * an earlier retry does not abort a later one.
     *
     * @param controller the choices of one call share it, so that all are aborted with one
     */
    begin({ requestKey, retryCount, idempotencyKey }: RequestIdentity, controller?: AbortController): InFlightCall;
    /**
     * Notes that a call was recorded. Call this before its answer is sent: if sessions are stored, the link to the attempt that it
     * repeats must be on disk by then.
     */
    recorded({ attempt }: InFlightCall, interaction: number): void;
    /** A call that ends without {@link recorded} has failed. */
    end({ attempt }: InFlightCall): void;
    /** Resolves with true when no call is in flight, or with false after `milliseconds`. */
    waitIdle(milliseconds: number): Promise<boolean>;
    /** Aborts every call in flight. Resolves with their number when all have ended. */
    abortAll(reason: SessionError): Promise<number>;
}
