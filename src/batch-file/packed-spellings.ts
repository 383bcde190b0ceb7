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
  const parts: Uint8Array[] = [];
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
export function findSpelling({ bytes, ends }: PackedSpellings, id: number): string | undefined {
  const end = ends[id];
  const start = id === 0 ? 0 : ends[id - 1];
  if (end === undefined || start === undefined || start === end) return undefined;
  return decoder.decode(bytes.subarray(start, end));
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
