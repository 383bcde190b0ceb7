/** Returns the longest prefix of whole characters that takes at most `bytes` bytes of UTF-8. */
export function firstBytes(text, bytes) {
    // A UTF-16 unit takes at most three bytes in UTF-8, so short texts need no encoding.
    if (text.length * 3 <= bytes)
        return text.toWellFormed();
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
    return text.slice(0, read).toWellFormed();
}
//# sourceMappingURL=first-bytes.js.map