/**
 * Collects an output as events and as a message. White space next to a marker belongs to the marker. At the end of a text,
 * it is held back until the next text or marker; at the beginning, it is dropped.
 */
export class MessageWriter {
    /** True if the format has markers. Otherwise all white space is text. */
    #trims;
    #places;
    #events = [];
    #content = "";
    #reasoning = "";
    #calls = [];
    #malformed = false;
    #channel = "text";
    #space = "";
    #spaceAt = 0;
    #afterMarker = false;
    #inNewPart = false;
    constructor(trims, places) {
        this.#trims = trims;
        this.#places = places;
    }
    text = (text) => this.#write("text", text);
    reasoning = (text) => this.#write("reasoning", text);
    /** Notes that a marker stands here. */
    markBoundary() {
        this.#space = "";
        this.#afterMarker = true;
    }
    /** Begins a new text. A line break separates it from an earlier one. */
    beginPart() {
        this.markBoundary();
        this.#inNewPart = true;
    }
    /** Writes a malformed call, as text. */
    writeMalformed(text) {
        this.#malformed = true;
        this.#write("text", text);
    }
    /** Writes a well-formed call. */
    writeCall(id, name, args) {
        this.beginPart();
        const index = this.#calls.push({ id, name, arguments: args }) - 1;
        this.#events.push({ type: "tool_call", index, id, name }, { type: "tool_call_arguments", index, text: args });
    }
    /** Returns the events since the last call of this method. */
    take() {
        const events = this.#events;
        this.#events = [];
        return events;
    }
    /** Writes the white space that was held back. */
    flush() {
        this.#emit(this.#channel, this.#space, this.#spaceAt, this.#spaceAt + this.#space.length);
        this.#space = "";
    }
    get message() {
        return {
            role: "assistant",
            content: this.#content,
            ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
            ...(this.#calls.length === 0 ? {} : { toolCalls: [...this.#calls] }),
        };
    }
    get toolCalls() {
        if (this.#malformed)
            return "malformed";
        return this.#calls.length > 0 ? "calls" : "none";
    }
    #write(channel, text) {
        const to = this.#places.position();
        if (!this.#trims) {
            this.#emit(channel, text, to - text.length, to);
            return;
        }
        if (channel !== this.#channel)
            this.flush();
        this.#channel = channel;
        const rest = this.#afterMarker ? text.replace(/^[ \t\r\n]+/, "") : text;
        if (rest === "")
            return;
        this.#afterMarker = false;
        const end = endWithoutSpace(rest);
        if (this.#space === "")
            this.#spaceAt = to - rest.length;
        if (end === 0) {
            this.#space += rest;
            return;
        }
        const shownTo = to - rest.length + end;
        if (this.#inNewPart && this.#writtenText(channel) !== "")
            this.#space = `\n${this.#space}`;
        this.#inNewPart = false;
        this.#emit(channel, this.#space + rest.slice(0, end), this.#spaceAt, shownTo);
        this.#space = rest.slice(end);
        this.#spaceAt = shownTo;
    }
    #writtenText(channel) {
        return channel === "text" ? this.#content : this.#reasoning;
    }
    #emit(channel, text, from, to) {
        if (text === "")
            return;
        if (channel === "text")
            this.#content += text;
        else
            this.#reasoning += text;
        const last = this.#events.at(-1);
        const event = last?.type === channel ? last : { type: channel, text: "" };
        if (event !== last)
            this.#events.push(event);
        event.text += text;
        if (channel === "reasoning" || this.#places.findTokens === undefined)
            return;
        const tokens = this.#places.findTokens(from, to);
        event.tokens = { from: event.tokens?.from ?? tokens.from, to: tokens.to };
    }
}
function endWithoutSpace(text) {
    let end = text.length;
    while (end > 0 && " \t\r\n".includes(text.charAt(end - 1)))
        end--;
    return end;
}
//# sourceMappingURL=message-writer.js.map