/** Text that no cache has seen: words drawn by a small generator that starts anew from each seed. */
const WORDS =
  "the model returned a result and then it stopped hello world fox jumps over lazy dog value fetch name city".split(
    " ",
  );

export function randomText(characters: number, seed: number): string {
  let state = seed * 2654435761 + 1;
  const parts: string[] = [];
  for (let length = 0; length < characters; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const word = WORDS[state % WORDS.length] ?? "the";
    parts.push(word);
    length += word.length + 1;
  }
  return parts.join(" ").slice(0, characters);
}

/** Returns the middle value, or the mean of the two middle values if their number is even, as in a short run of two rounds. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number): number => sorted[Math.floor(index)] ?? Number.NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

/** Returns the value below which this share of the values lies; NaN if there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
