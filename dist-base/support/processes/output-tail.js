const NEWLINE = 10;
const CUT = "…";
/** The last lines of a stream, as text. */
export class OutputTail {
    #limit;
    /** One byte more than the limit, to see whether the kept bytes begin with a line. */
    #bytes = Buffer.alloc(0);
    #ended = false;
    #received = 0;
    /** @param limit bytes kept, at least 1 */
    constructor(stream, limit) {
        this.#limit = limit;
        stream.on("data", (chunk) => this.#add(chunk));
        // Without a listener, a broken pipe would be an uncaught error. The end of the process explains it.
        stream.on("error", () => { });
    }
    /**
     * The text without white space at its ends; empty if there was no output. It begins with `…` if earlier lines are
     * missing.
     */
    get text() {
        if (this.#bytes.length <= this.#limit)
            return this.#bytes.toString().trim();
        const end = this.#bytes.indexOf(NEWLINE) + 1;
        const lines = this.#bytes.subarray(end).toString().trim();
        if (end > 0 && lines !== "")
            return `${CUT}\n${lines}`;
        // One long line, which may begin within a character: skip UTF-8 continuation bytes.
        const start = this.#bytes.findIndex((byte, i) => i > 0 && (byte & 0xc0) !== 0x80);
        return CUT + this.#bytes.subarray(start).toString().trim();
    }
    /** Number of bytes that were read. */
    get received() {
        return this.#received;
    }
    /** Discards the text and all later output. */
    end() {
        this.#ended = true;
        this.clear();
    }
    clear() {
        this.#bytes = Buffer.alloc(0);
    }
    #add(chunk) {
        this.#received += chunk.length;
        if (this.#ended)
            return;
        const kept = this.#limit + 1;
        this.#bytes = Buffer.from(Buffer.concat([this.#bytes, chunk.subarray(-kept)]).subarray(-kept));
    }
}
const LEAD = " Its standard error ends with:\n";
/** Returns a sentence about a process that failed, followed by the end of its standard error. */
export function appendTail(sentence, text) {
    return text === "" ? sentence : sentence + LEAD + text;
}
/** Returns a message without the end of the standard error that {@link appendTail} put there. */
export function removeTail(message, text) {
    const end = LEAD + text;
    return text !== "" && message.endsWith(end) ? message.slice(0, -end.length) : message;
}
//# sourceMappingURL=output-tail.js.map