/** Decodes token by token. An incomplete character is held back until it is complete or invalid. */
export class TokenwiseDetokenizer {
    #vocabulary;
    #markers;
    /** Created for the first token that is a byte. Most outputs have none. */
    #utf8;
    #stripsFirstTokenOnly;
    #hasPartialCharacter = false;
    /** The text since the last piece, in parts. */
    #parts = [];
    #toStrip;
    #pieces = [];
    #onToken;
    #length = 0;
    constructor(vocabulary, markers, onToken) {
        this.#vocabulary = vocabulary;
        this.#markers = markers;
        this.#onToken = onToken;
        this.#toStrip = vocabulary.strip.count;
        this.#stripsFirstTokenOnly = vocabulary.strip.firstTokenOnly;
    }
    push(ids) {
        for (const id of ids)
            this.#token(id);
        return this.#take();
    }
    finish() {
        this.#endCharacter();
        return this.#take();
    }
    #token(id) {
        const entry = this.#vocabulary.entry(id);
        if (entry.kind === "bytes") {
            this.#onToken(this.#length);
            this.#utf8 ??= new TextDecoder("utf-8", { ignoreBOM: true });
            this.#append(this.#utf8.decode(entry.bytes, { stream: true }));
            this.#hasPartialCharacter = true;
            return;
        }
        const isMarker = entry.kind === "added" && this.#markers.has(entry.text);
        // A special token that is not a marker does not interrupt the text; even a character may continue after it.
        if (entry.kind === "added" && entry.special && !isMarker) {
            this.#onToken(this.#length);
            this.#piece({ kind: "token", text: entry.text, special: true });
            return;
        }
        this.#endCharacter();
        this.#onToken(this.#length);
        if (isMarker) {
            this.#toStrip = 0;
            this.#length += entry.text.length;
            this.#piece({ kind: "token", text: entry.text, special: entry.special });
            return;
        }
        this.#append(entry.text);
        if (this.#stripsFirstTokenOnly)
            this.#toStrip = 0;
    }
    #endCharacter() {
        if (!this.#hasPartialCharacter)
            return;
        this.#hasPartialCharacter = false;
        this.#append(this.#utf8?.decode() ?? "");
    }
    #append(text) {
        const shown = this.#toStrip > 0 ? this.#strip(text) : text;
        if (shown !== "")
            this.#parts.push(shown);
        this.#length += shown.length;
    }
    #strip(text) {
        const { content } = this.#vocabulary.strip;
        let rest = text;
        while (this.#toStrip > 0 && rest.startsWith(content)) {
            rest = rest.slice(content.length);
            this.#toStrip--;
        }
        if (rest !== "")
            this.#toStrip = 0;
        return rest;
    }
    #piece(piece) {
        this.#flushText();
        this.#pieces.push(piece);
    }
    #flushText() {
        if (this.#parts.length === 0)
            return;
        this.#pieces.push({ kind: "text", text: this.#parts.join("") });
        this.#parts = [];
    }
    #take() {
        this.#flushText();
        const pieces = this.#pieces;
        this.#pieces = [];
        return pieces;
    }
}
//# sourceMappingURL=tokenwise-detokenizer.js.map