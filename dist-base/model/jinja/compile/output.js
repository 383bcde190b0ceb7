/** Collects what a template prints, in parts. */
export class Output {
    #parts = [];
    #text = "";
    print(text) {
        this.#text += text;
    }
    /** Ends the part that was printed last. */
    endPart() {
        this.#parts.push(this.#text);
        this.#text = "";
    }
    /** The text that was printed since the last part ended. */
    get text() {
        return this.#text;
    }
    get parts() {
        return this.#parts;
    }
}
//# sourceMappingURL=output.js.map