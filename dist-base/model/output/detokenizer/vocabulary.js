import { readDecoder } from "./decoder.js";
const NOTHING = { kind: "text", text: "" };
const NO_STRIP = { content: " ", count: 0, firstTokenOnly: false };
const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;
/** The texts of a tokenizer's tokens, each computed on first use. Shared by all outputs of a model. */
export class Vocabulary {
    /** Undefined if tokens cannot be decoded one by one. Then only `source.decode` returns the text. */
    decoder;
    source;
    #special;
    #added;
    #entries = [];
    constructor(file, source) {
        this.decoder = readDecoder(file.decoder);
        this.source = source;
        this.#special = new Set(file.added_tokens.filter((token) => token.special).map((token) => token.id));
        this.#added = new Set(file.added_tokens.map((token) => token.content));
    }
    get strip() {
        return this.decoder?.kind === "pieces" ? this.decoder.strip : NO_STRIP;
    }
    /** Returns true if an added token has this spelling. Then only that token is a marker, not text with the same spelling. */
    isAdded(spelling) {
        return this.#added.has(spelling);
    }
    /** Returns the text of a token. Unknown ids have no text. */
    entry(id) {
        return (this.#entries[id] ??= this.#make(id));
    }
    /** Returns the UTF-8 bytes that a token adds to the text. */
    bytes(id) {
        const entry = this.decoder && this.entry(id);
        if (entry?.kind === "bytes")
            return entry.bytes;
        const text = entry?.text ?? this.source.decode(Int32Array.of(id), { skipSpecialTokens: false });
        return Buffer.from(text, "utf8");
    }
    #make(id) {
        const token = this.source.findToken(id);
        if (token === undefined)
            return NOTHING;
        if (this.#added.has(token))
            return { kind: "added", text: this.#replaced(token), special: this.#special.has(id) };
        return this.decoder?.kind === "byteLevel" ? fromBytes(byteLevelBytes(token)) : this.#pieceEntry(token);
    }
    #pieceEntry(token) {
        const text = this.#replaced(token);
        const byte = this.decoder?.kind === "pieces" && this.decoder.byteFallback ? BYTE_TOKEN.exec(text) : null;
        return byte ? { kind: "bytes", bytes: Uint8Array.of(Number.parseInt(byte[1] ?? "", 16)) } : { kind: "text", text };
    }
    #replaced(token) {
        if (this.decoder?.kind !== "pieces")
            return token;
        return this.decoder.replacements.reduce((text, { from, to }) => text.replaceAll(from, to), token);
    }
}
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function fromBytes(bytes) {
    try {
        return { kind: "text", text: strictUtf8.decode(bytes) };
    }
    catch {
        return { kind: "bytes", bytes };
    }
}
/** GPT-2's byte alphabet: printable Latin-1 characters represent themselves, the other bytes follow from U+0100 on. */
const BYTE_OF = new Map();
for (let byte = 0, next = 0x100; byte < 0x100; byte++) {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    BYTE_OF.set(String.fromCodePoint(printable ? byte : next++), byte);
}
/** Like in the Rust library, a token with characters outside the alphabet represents its own UTF-8 bytes. */
function byteLevelBytes(token) {
    const bytes = [];
    for (const character of token) {
        const byte = BYTE_OF.get(character);
        if (byte === undefined)
            return Buffer.from(token, "utf8");
        bytes.push(byte);
    }
    return Uint8Array.from(bytes);
}
//# sourceMappingURL=vocabulary.js.map