import type { Message } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import type { Steps } from "../support/async/steps.js";
export interface DigestedMessages {
    readonly messages: readonly Message[];
    /** For each message, the chain digest of the messages up to it. */
    readonly digests: Uint8Array;
    /** For each message, the hash of the tool call ids up to it; undefined if there are none. See call-ids.ts. */
    readonly callIds: BigUint64Array | undefined;
}
/**
 * Digests the messages of requests and reuses the result of the previous request.
 *
 * A conversation grows at its end. Messages that a request shares with the previous one are compared instead of
 * digested, which takes a tenth of the time, and are kept in memory once.
 */
export declare class KnownMessages {
    #private;
    /**
     * @param filters text that matches them is not digested
     * @param digestKey the key of the session's digests. Default: the key of this process
     */
    constructor(filters: readonly MessageFilter[], digestKey?: Uint8Array);
    /**
     * Returns the messages with their digests. Messages that the previous request had too are the same objects. Other requests may
     * be digested between the steps.
     */
    digest(messages: readonly Message[]): Steps<DigestedMessages>;
    clear(): void;
}
