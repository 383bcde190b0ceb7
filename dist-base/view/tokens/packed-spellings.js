/** @param spellings by token id; unused ids may be absent */
export function packSpellings(spellings) {
    const ends = new Uint32Array(spellings.length);
    const parts = [];
    const encoder = new TextEncoder();
    let end = 0;
    for (let id = 0; id < spellings.length; id++) {
        const part = encoder.encode(spellings[id] ?? "");
        parts.push(part);
        ends[id] = end += part.length;
    }
    const bytes = new Uint8Array(end);
    parts.forEach((part, id) => bytes.set(part, (ends[id] ?? 0) - part.length));
    return { bytes, ends };
}
/** Returns the spelling of a token; undefined if the vocabulary does not have it. */
export function findSpelling({ bytes, ends }, id) {
    const end = ends[id];
    const start = id === 0 ? 0 : ends[id - 1];
    if (end === undefined || start === undefined || start === end)
        return undefined;
    return decoder.decode(bytes.subarray(start, end));
}
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
//# sourceMappingURL=packed-spellings.js.map