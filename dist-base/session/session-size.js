import { sumTexts } from "../conversation/size.js";
import { keepSpelling } from "../support/json/spelled.js";
// Memory of JavaScript objects without their text, in bytes. Measured as growth of the heap after garbage collection.
const SESSION_BYTES = 4096;
const INTERACTION_BYTES = 2048;
const MESSAGE_BYTES = 512;
/** Memory of parsed JSON for each byte of its text, in bytes. */
const PARSED_BYTES = 4;
/** Native memory of a prompt token, in bytes. */
export const TOKEN_BYTES = 4;
/** Counts the memory of one session: its native memory, and an estimate of its JavaScript objects. */
export class SessionSize {
    #readNative;
    #tally;
    #native;
    #objects = SESSION_BYTES;
    #shared = 0;
    #tokens;
    #freed = false;
    /**
     * @param readNative returns the session's native memory in bytes
     * @param tokens of calls that are on disk only
     */
    constructor(readNative, tally, tokens = 0) {
        this.#readNative = readNative;
        this.#tally = tally;
        this.#tokens = tokens;
        this.#native = readNative();
        tally.bytes += this.#own;
    }
    /** Memory of the session, in bytes; 0 once it is freed. */
    get bytes() {
        return this.#freed ? 0 : this.#own + this.#shared;
    }
    /** Tokens of all calls. A call that continues another one counts only the tokens that it adds. */
    get tokens() {
        return this.#tokens;
    }
    /** Adds a recorded call: its new tokens, and the objects that it does not share. */
    addCall(tokens, objectBytes) {
        this.#tokens += tokens;
        this.addObjects(objectBytes);
    }
    /** Stops counting the session's data, because it is on disk only from now on. */
    unload() {
        if (this.#freed)
            return;
        const before = this.#own;
        this.#objects = SESSION_BYTES;
        this.#native = 0;
        this.#shared = 0;
        this.#tally.bytes += this.#own - before;
    }
    /** Adds objects that live as long as the session's data. */
    addObjects(bytes) {
        if (this.#freed)
            return;
        const before = this.#own;
        this.#objects += bytes;
        this.#native = this.#readNative();
        this.#tally.bytes += this.#own - before;
    }
    /** Adds objects that other sessions use, too. Whoever shares them counts them in the memory of all sessions. */
    addShared(bytes) {
        this.#shared += bytes;
    }
    /** Stops counting the session. */
    free() {
        if (!this.#freed)
            this.#tally.bytes -= this.#own;
        this.#freed = true;
    }
    /** Memory that belongs to this session alone, in bytes. */
    get #own() {
        return this.#native + this.#objects;
    }
}
/**
 * Returns the memory of a call's objects without its output, in bytes.
 *
 * @param messages the messages that it does not share with its parent
 * @param templateArgs variables of the chat template, if its parent has others
 */
export function measureRequest(messages, templateArgs) {
    return INTERACTION_BYTES + measureMessages(messages) + (templateArgs ? measureJson(templateArgs) : 0);
}
/** Returns the memory of messages in bytes. V8 stores a character in one byte or two; UTF-8 is close to that. */
export function measureMessages(messages) {
    return messages.reduce((bytes, message) => bytes + MESSAGE_BYTES + sumTexts(message, (text) => Buffer.byteLength(text)), 0);
}
/** Returns the memory of a parsed value of a request, in bytes. */
export function measureJson(value) {
    return PARSED_BYTES * JSON.stringify(value, keepSpelling).length;
}
//# sourceMappingURL=session-size.js.map