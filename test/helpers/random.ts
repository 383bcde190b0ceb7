/** A small random generator (mulberry32) that gives the same numbers for the same seeds. Only for tests. */
export class Random {
  #state: number;

  /** @param seeds numbers that together choose the sequence */
  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) + 0x7f4a7c15, 0x1234567) | 0;
    this.next();
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.integer(0, values.length - 1)] ?? values[0];
  }

  /** Picks a value with a probability in proportion to its weight. */
  weighted<T>(values: readonly [readonly [weight: number, value: T], ...(readonly [number, T])[]]): T {
    let left = this.next() * values.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of values) {
      left -= weight;
      if (left < 0) return value;
    }
    return values[0][1];
  }
}

const WORDS =
  "the model returned a result and then it stopped hello world fox jumps over lazy dog value fetch name city".split(
    " ",
  );

/** Returns words that depend on the seed alone, so that no cache has seen them. */
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
