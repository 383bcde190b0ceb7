import { native } from "../native/addon.js";
const COMMA = 0x2c;
/** More memory than a text needs, so that the next requests append to it without a copy. */
const GROWTH = 1.25;
/** Removing this many ids takes about as long as writing a few times as many. */
const MAX_REMOVED = 8192;
/** Appending more ids takes some milliseconds. */
const MAX_ADDED = 32 * 1024;
/**
 * The body of a conversation's newest request to an engine. The next request begins with the same ids, so it overwrites
 * the end of this body and writes only the ids that are new.
 *
 * A body is *lent* until the operating system has all of its bytes. Meanwhile nothing else is written to it. If a request
 * fails, its body stays lent.
 */
export class PromptText {
    #written;
    #isLent = false;
    /** Size of the memory, in bytes. */
    get memory() {
        return this.#written?.bytes.length ?? 0;
    }
    /** True if a later request can use the body: there is one, and it is not lent. */
    get isReady() {
        return this.#written !== undefined && !this.#isLent;
    }
    /**
     * Writes a request's body and lends it. Only the ids after the shared ones are written.
     *
     * @param shared number of the prompt's first ids that the earlier request had too
     * @returns undefined if nothing can be shared, or if the body is lent
     */
    extend(prompt, prefix, suffix, shared) {
        const written = this.#written;
        if (!written || this.#isLent || written.prefix !== prefix)
            return undefined;
        const from = Math.min(shared, written.tokens);
        const added = prompt.length - from;
        if (from === 0 || written.tokens - from > MAX_REMOVED || added > MAX_ADDED)
            return undefined;
        const start = findEnd(written, from);
        const rest = prompt.requestBody("", suffix, undefined, from);
        // The opening bracket is the comma between the ids. Without new ids, there is none.
        rest[0] = COMMA;
        const tail = added > 0 ? rest : rest.subarray(1);
        const length = start + tail.length;
        const bytes = length <= written.bytes.length ? written.bytes : grow(written.bytes, start, length);
        tail.copy(bytes, start);
        const end = length - Buffer.byteLength(suffix) - 1;
        this.#written = { bytes, prefix, end, tokens: prompt.length };
        this.#isLent = true;
        return bytes.subarray(0, length);
    }
    /**
     * Keeps a whole body and lends it.
     *
     * @returns false if another body is lent, for example that of another choice of the same call
     */
    keep(bytes, prompt, prefix, suffix) {
        if (this.#isLent)
            return false;
        this.free();
        const end = bytes.length - Buffer.byteLength(suffix) - 1;
        this.#written = { bytes, prefix, end, tokens: prompt.length };
        this.#isLent = true;
        return true;
    }
    /** Called when the operating system has all bytes of the body. */
    giveBack() {
        this.#isLent = false;
    }
    /** Frees the memory. A body that is lent is freed by garbage collection. */
    free() {
        if (this.#written && !this.#isLent)
            native.freeBytes(this.#written.bytes);
        this.#written = undefined;
    }
}
/** Returns the offset of the byte after the first `wanted` ids. */
function findEnd({ bytes, end, tokens }, wanted) {
    let at = end;
    for (let left = tokens - wanted; left > 0;)
        if (bytes[--at] === COMMA)
            left--;
    return at;
}
/** Returns larger memory with the first `kept` bytes. */
function grow(bytes, kept, needed) {
    const grown = Buffer.allocUnsafeSlow(Math.ceil(GROWTH * needed));
    bytes.copy(grown, 0, 0, kept);
    native.freeBytes(bytes);
    return grown;
}
//# sourceMappingURL=prompt-text.js.map