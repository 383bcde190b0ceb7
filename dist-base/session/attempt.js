/**
 * Identifies a request by its content, and by the header `idempotency-key` if its client sent one.
 *
 * @param contentKey digest of the request's content
 * @param keyHash hash of the header, without spaces
 */
export function identifyRequest(contentKey, keyHash) {
    return keyHash === undefined ? contentKey : `${keyHash} ${contentKey}`;
}
/** Returns true if no other request is identified in the same way, whatever its content. */
export const isUnique = (request) => request.includes(" ");
/** The nearness of an attempt that a retry cannot repeat. */
export const NOT_REPEATED = -2;
/** One attempt at a request: a model call that is running, has failed, or was recorded as an interaction. */
export class Attempt {
    /** A number is the index of the recorded interaction. */
    outcome = "running";
    /** The attempt that this one repeats. Undefined if there is none or if it failed. */
    earlier;
    /** The attempt that repeats this one. */
    retry;
    /** Identifies the request. Equal for all attempts at it, but also for other requests with the same content. */
    request;
    /** Counts up in the order in which attempts begin. */
    number;
    /** How often the client had sent the request before. */
    retryCount;
    constructor(request, number, retryCount) {
        this.request = request;
        this.number = number;
        this.retryCount = retryCount;
    }
    /**
     * Returns how near an attempt with this retry count is to this one, which may repeat it. The nearest has the greatest count below. One
     * with the same count follows after all of these: some clients send the same number with every retry.
     */
    nearnessOf(retryCount) {
        if (retryCount < this.retryCount)
            return retryCount;
        return retryCount === this.retryCount ? NOT_REPEATED + 1 : NOT_REPEATED;
    }
}
//# sourceMappingURL=attempt.js.map