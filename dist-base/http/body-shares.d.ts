/** Why there is no room for a body: because of the bodies of its own sender, or of all senders. */
export type Exceeded = "sender" | "all";
/**
 * Divides a number of bytes among the bodies that are being received.
 *
 * A sender can stop in the middle of a body and so keep its bytes for a while. Therefore no sender may take all free bytes: shares
 * shrink as the budget fills, so that the next sender always finds some room. A part of the budget is reserved for small bodies, so
 * that large bodies cannot keep them out.
 */
export declare class BodyShares {
    #private;
    /** Size of all bodies that may be received at the same time, in bytes. */
    readonly bytes: number;
    constructor(bytes: number);
    /** Bytes in use. */
    get used(): number;
    /**
     * Takes bytes for a body.
     *
     * @param sender null: a sender that may use all bytes
     * @returns a function that gives the bytes back; further calls of it do nothing. If there is no room, the reason
     */
    take(size: number, sender: object | null): (() => void) | Exceeded;
}
