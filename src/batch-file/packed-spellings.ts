/** The spellings of a vocabulary in two arrays, which take a tenth of the memory of strings and move between threads. */
export interface PackedSpellings {
  /** In UTF-8, one after the other, by token id. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where the spelling of each id ends in `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>;
}

/** @param spellings by token id; unused ids may be absent */
export function packSpellings(spellings: readonly (string | undefined)[]): PackedSpellings {
  const ends = new Uint32Array(spellings.length);
  const encoder = new TextEncoder();
  const parts = Array.from(spellings, (spelling = "") => encoder.encode(spelling));
  let end = 0;
  for (const [id, { length }] of parts.entries()) ends[id] = end += length;
  const bytes = new Uint8Array(end);
  let start = 0;
  for (const part of parts) {
    bytes.set(part, start);
    start += part.length;
  }
  return { bytes, ends };
}

/** Returns the spelling of a token; undefined if the vocabulary does not have it. */
export function findSpelling({ bytes, ends }: PackedSpellings, id: number): string | undefined {
  const end = ends[id];
  const start = ends[id - 1] ?? 0;
  if (end === undefined || start === end) return undefined;
  return decoder.decode(bytes.subarray(start, end));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
