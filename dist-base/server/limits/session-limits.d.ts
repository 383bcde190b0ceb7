import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";
/** Limits of one session. Infinity: no limit. */
export interface SessionLimits {
    readonly tokens: number;
    readonly calls: number;
    readonly bytes: number;
    readonly concurrentCalls: number;
}
/** Removes the limits of recorded calls, for calls that only count tokens. */
export declare const NO_FINAL_LIMITS: {
    readonly tokens: number;
    readonly calls: number;
    readonly bytes: number;
};
/** Calls of one session that are in flight, and the tokens and bytes that their prompts add to it. */
export declare class SessionLoad {
    calls: number;
    /** Calls that will be recorded if they succeed. */
    recordable: number;
    tokens: number;
    bytes: number;
    add(calls: number, recordable: number): void;
    grow(tokens: number, bytes: number): void;
}
/**
 * Checks that the session may begin another call.
 *
 * @param begun calls in flight that are choices of the same request
 * @throws ApiError `session_limit` or `too_many_calls`
 */
export declare function requireRoomForCall(session: Session, load: SessionLoad, limits: SessionLimits, begun?: number): void;
/**
 * Checks that a call does not ask for more answers than its session may ever have in flight.
 *
 * Such a call gets no `too_many_calls`, because clients would send it again in vain.
 *
 * @throws ApiError `invalid_value`
 */
export declare function requirePossibleChoices(choices: number, { concurrentCalls }: SessionLimits): void;
/**
 * Checks that the session has room for these tokens and bytes.
 *
 * @throws ApiError `session_limit`
 */
export declare function requireRoom(session: Session, { tokens, bytes }: SessionGrowth, limits: SessionLimits): void;
