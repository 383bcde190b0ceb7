import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";
import { type SessionLimits, SessionLoad } from "./session-limits.js";
import type { CallMemory, Store } from "./store.js";
/** `model`: the call is recorded. `count`: the call counts tokens or reads a response, and adds nothing to its session. */
export type CallKind = "model" | "count";
/** Admits calls within the limits of their session and of the store, and counts those in flight. */
export declare class Admission {
    #private;
    constructor(store: Store, limits: SessionLimits);
    /**
     * Admits a call before its body is read.
     *
     * @param bodyBytes declared size of the body, or the largest allowed size if it declares none
     * @throws ApiError `session_limit`, `too_many_calls` or `store_full`
     */
    admit(session: Session, kind: CallKind, bodyBytes: number): AdmittedCall;
}
interface AdmissionContext {
    readonly session: Session;
    readonly kind: CallKind;
    readonly load: SessionLoad;
    readonly limits: SessionLimits;
    readonly store: Store;
}
/**
 * A call in flight. It counts for its session and the store until it has run and its answer is sent. Otherwise a client that does
 * not read its answers could fill the memory with them.
 */
export declare class AdmittedCall {
    #private;
    constructor(context: AdmissionContext, memory: CallMemory);
    /**
     * Marks the call as running.
     *
     * @param bodyBytes size of the body that was received. It may be less than the size that was admitted.
     */
    begin(bodyBytes: number): void;
    /**
     * Admits the further choices of the call. Each counts as a separate call until this call is answered.
     *
     * @throws ApiError `session_limit`, `too_many_calls` or, if waiting cannot help, `invalid_value`
     */
    admitChoices(count: number): AdmittedCall[];
    /** Marks the call as one to an upstream, which is not recorded. Its body counts until its answer is sent. */
    passOn(bodyBytes: number): void;
    /**
     * Counts the prompt, before the engine is asked.
     *
     * @param growth what the call adds to its session, without its output
     * @param promptBytes native memory of the prompt until the call ends
     * @throws ApiError `session_limit` or `store_full`
     */
    addPrompt(growth: SessionGrowth, promptBytes: number): void;
    /**
     * Counts an answer before it is written.
     *
     * @throws ApiError `store_full`
     */
    addAnswer(bytes: number): void;
    /**
     * Marks the call as run. The recorded call now counts in its session's memory, so only its answer still counts here.
     *
     * @param unsentBytes size of the unsent part of its answer
     */
    finish(unsentBytes: number): void;
    /** Counts an answer until it is sent, instead of the body and the prompt. Like a prompt, it is outside of the heap. */
    holdAnswer(bytes: number): void;
    /** Counts memory from which the end of a stream is written, until it is sent. Call this before `finish`. */
    holdSource(bytes: number): void;
    /** Notes that the answer was sent, or that its client disconnected. Idempotent. */
    answered(): void;
}
export {};
