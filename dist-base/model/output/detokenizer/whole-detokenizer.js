/**
 * A detokenizer for decoders in which the text of a token depends on the tokens after it (WordPiece, CTC, …). No known
 * chat model has one. It decodes the text before a marker when the marker arrives, and the rest at the end. All tokens
 * between two markers count as beginning at the place of the first one.
 */
export class WholeDetokenizer {
    #vocabulary;
    #markers;
    #onToken;
    #ids = [];
    #length = 0;
    constructor(vocabulary, markers, onToken) {
        this.#vocabulary = vocabulary;
        this.#markers = markers;
        this.#onToken = onToken;
    }
    push(ids) {
        const pieces = [];
        for (const id of ids) {
            const entry = this.#vocabulary.entry(id);
            if (entry.kind === "added" && this.#markers.has(entry.text)) {
                pieces.push(...this.finish(), { kind: "token", text: entry.text, special: entry.special });
                this.#onToken(this.#length);
                this.#length += entry.text.length;
            }
            else {
                this.#onToken(this.#length);
                this.#ids.push(id);
            }
        }
        return pieces;
    }
    finish() {
        const text = this.#vocabulary.source.decode(Int32Array.from(this.#ids), { skipSpecialTokens: true });
        this.#ids = [];
        this.#length += text.length;
        return text === "" ? [] : [{ kind: "text", text }];
    }
}
//# sourceMappingURL=whole-detokenizer.js.map