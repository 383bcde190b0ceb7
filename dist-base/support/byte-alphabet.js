/**
 * Returns GPT-2's reversible map from bytes to printable characters, in which byte-level BPE vocabularies write their
 * tokens: 256 characters, indexed by byte. Printable Latin-1 bytes map to themselves, the others to characters from
 * U+0100.
 */
export function byteAlphabet() {
    const printable = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    let next = 256;
    return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}
//# sourceMappingURL=byte-alphabet.js.map