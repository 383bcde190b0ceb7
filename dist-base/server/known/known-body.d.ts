import type { Steps } from "../../support/async/steps.js";
/**
 * An agent sends its whole conversation with each call. If a body begins with the same bytes as an earlier one, only the part
 * after the shared messages is decoded and parsed. The shared messages are the same objects as before, so that caches with
 * objects as keys find them.
 */
/** An earlier body. */
export interface KnownBody {
    readonly bytes: Buffer;
    /** The field that holds the conversation. */
    readonly name: string;
    /** Offset of the end of each element of the conversation, in bytes. */
    readonly ends: readonly number[];
    readonly elements: readonly unknown[];
    /** Offset of the first byte after the opening bracket of the conversation. */
    readonly start: number;
}
/** The part that a body shares with a known one: its first `count` elements and everything before them. */
export interface SharedPrefix {
    readonly body: KnownBody;
    readonly count: number;
}
/**
 * Returns true if a body continues the known one. Otherwise it is another conversation with the same beginning, such as the
 * same system prompt.
 */
export declare function isContinuation({ body, count }: SharedPrefix): boolean;
/** Returns the known body that shares the most elements; undefined if none shares one. */
export declare function findShared(bytes: Buffer, known: readonly KnownBody[]): SharedPrefix | undefined;
/** Returns the body with one stand-in instead of the shared elements. */
export declare function cutShared(bytes: Buffer, { body, count }: SharedPrefix): Buffer;
/**
 * Puts the shared elements back into the value of {@link cutShared}.
 *
 * @returns undefined if the stand-in is not where it must be, which happens if the body has the field twice
 */
export declare function restoreShared(value: unknown, { body, count }: SharedPrefix): Record<string, unknown> | undefined;
/** Returns the body in the form in which it is kept; undefined if it has no conversation of objects. */
export declare function toKnown(bytes: Buffer, value: unknown, shared?: SharedPrefix): Steps<KnownBody | undefined>;
