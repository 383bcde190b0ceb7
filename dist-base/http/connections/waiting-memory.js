/** Memory that the waiting requests of all connections may take, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Memory of a request without its headers and body, in bytes. Measured as growth of the heap. */
const REQUEST_BYTES = 4096;
/** Node buffers at most about this much of a body that is not read, in bytes. */
const BUFFERED_BODY_BYTES = 64 * 1024;
/**
 * Limits the memory of requests that wait for earlier answers on their connections. No key was checked for them yet, and without
 * this, their headers could take a hundred times the limit of the headers on each connection.
 */
export class WaitingMemory {
    #used = 0;
    /** Returns false if there is no room. */
    take(bytes) {
        if (this.#used + bytes > MAX_BYTES)
            return false;
        this.#used += bytes;
        return true;
    }
    giveBack(bytes) {
        this.#used -= bytes;
    }
}
/** Returns the memory of a request that waits, in bytes. */
export function measureWaiting({ url = "", rawHeaders, headers }) {
    const length = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : Number.POSITIVE_INFINITY;
    const body = Math.min(length, BUFFERED_BODY_BYTES);
    return rawHeaders.reduce((bytes, text) => bytes + text.length, REQUEST_BYTES + url.length + body);
}
//# sourceMappingURL=waiting-memory.js.map