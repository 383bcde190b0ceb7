/** Part of the budget that is reserved for small bodies. */
const SMALL_PART = 1 / 8;
/** Maximum size of a small body, as a part of the budget. With the default budget, it is 64 KiB. */
const SMALL_BODY = 1 / 8192;
/** Part of the free bytes of a pool that the only body of a sender may take. */
const FIRST_SHARE = 1 / 2;
/** Part of a pool that several bodies of one sender may take together, not counting the bytes that other senders use. */
const SENDER_SHARE = 1 / 8;
/** The same for the pool of small bodies. It is less, because small bodies can also use the general pool. */
const SMALL_SENDER_SHARE = 1 / 64;
/**
 * Divides a number of bytes among the bodies that are being received.
 *
 * A sender can stop in the middle of a body and so keep its bytes for a while. Therefore no sender may take all free bytes: shares
 * shrink as the budget fills, so that the next sender always finds some room. A part of the budget is reserved for small bodies, so
 * that large bodies cannot keep them out.
 */
export class BodyShares {
    /** Size of all bodies that may be received at the same time, in bytes. */
    bytes;
    #smallBody;
    /** For small bodies only. */
    #small;
    /** For bodies of any size. */
    #general;
    constructor(bytes) {
        this.bytes = bytes;
        this.#smallBody = bytes * SMALL_BODY;
        this.#small = new Pool(bytes * SMALL_PART, SMALL_SENDER_SHARE);
        this.#general = new Pool(bytes * (1 - SMALL_PART), SENDER_SHARE);
    }
    /** Bytes in use. */
    get used() {
        return this.#small.used + this.#general.used;
    }
    /**
     * Takes bytes for a body.
     *
     * @param sender null: a sender that may use all bytes
     * @returns a function that gives the bytes back; further calls of it do nothing. If there is no room, the reason
     */
    take(size, sender) {
        if (size <= this.#smallBody && this.#small.hasRoom(size, sender))
            return this.#small.take(size, sender);
        if (this.#general.hasRoom(size, sender))
            return this.#general.take(size, sender);
        return sender && this.#general.isUsedBy(sender) ? "sender" : "all";
    }
}
/** A number of bytes that bodies share. */
class Pool {
    #bytes;
    #senderShare;
    #bySender = new WeakMap();
    used = 0;
    constructor(bytes, senderShare) {
        this.#bytes = bytes;
        this.#senderShare = senderShare;
    }
    isUsedBy(sender) {
        return this.#usedBy(sender) > 0;
    }
    /** Returns true if a body may be received. The only body in the pool may be larger than the pool; bodies have a limit of their own. */
    hasRoom(size, sender) {
        if (this.used === 0)
            return true;
        const free = this.#bytes - this.used;
        if (!sender)
            return size <= free;
        const own = this.#usedBy(sender);
        return own === 0 ? size <= free * FIRST_SHARE : own + size <= (free + own) * this.#senderShare;
    }
    take(size, sender) {
        this.#add(size, sender);
        let taken = true;
        return () => {
            if (taken)
                this.#add(-size, sender);
            taken = false;
        };
    }
    #usedBy(sender) {
        return this.#bySender.get(sender) ?? 0;
    }
    #add(size, sender) {
        this.used += size;
        if (sender)
            this.#bySender.set(sender, this.#usedBy(sender) + size);
    }
}
//# sourceMappingURL=body-shares.js.map