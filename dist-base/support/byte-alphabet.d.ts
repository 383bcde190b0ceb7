/**
 * Returns GPT-2's reversible map from bytes to printable characters, in which byte-level BPE vocabularies write their
 * tokens: 256 characters, indexed by byte. Printable Latin-1 bytes map to themselves, the others to characters from
 * U+0100.
 */
export declare function byteAlphabet(): string[];
