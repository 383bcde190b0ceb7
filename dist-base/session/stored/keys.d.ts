/**
 * The kinds of records of a session. A record's key has its kind as a number, so the order must not change.
 *
 * - `interaction`: the data that a call added. Written once.
 * - `outcome`: the reward of an interaction, and whether it was answered and repeated. Written again when it changes.
 * - `response`: the fields of a stored response (Responses API) that its interaction does not have.
 */
export declare const RECORD_KINDS: readonly ["interaction", "outcome", "response"];
export type RecordKind = (typeof RECORD_KINDS)[number];
/** Returns the key of a session. The keys of its records begin with it. Keys sort by the session's number. */
export declare function sessionKey(number: number): Buffer;
export declare function readSessionKey(key: Buffer): number;
/** Returns the key of a record. Within a session, keys sort by kind, then by index. */
export declare function recordKey(number: number, kind: RecordKind, index: number): Buffer;
/** The part of a record's key after the session's number. */
export interface RecordName {
    readonly kind: RecordKind;
    readonly index: number;
}
export declare function readRecordKey(key: Buffer): RecordName;
