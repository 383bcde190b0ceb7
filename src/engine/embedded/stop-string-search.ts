/** Tokens of the tail beyond the longest stop string's bytes, for tokens without a text. */
const SLACK_TOKENS = 16;

/**
 * Finds stop strings in the text of the output as it grows. Only a tail of the output is decoded at each token: a token
 * has a text of at least one byte, so that a stop string ending in the newest token begins within as many tokens as it
 * has bytes. Control tokens count with their spelling.
 */
export class StopStrings<T extends number> {
  readonly #stops: readonly string[];
  readonly #decode: (ids: readonly T[]) => string;
  readonly #tailTokens: number;

  constructor(stops: readonly string[], decode: (ids: readonly T[]) => string) {
    this.#stops = stops.filter((stop) => stop !== "");
    this.#decode = decode;
    this.#tailTokens = SLACK_TOKENS + Math.max(0, ...this.#stops.map((stop) => Buffer.byteLength(stop)));
  }

  /** The stop string that the newest token of the output completed; of several, the one that begins first. */
  find(output: readonly T[]): string | undefined {
    if (this.#stops.length === 0) return undefined;
    const tail = this.#decode(output.slice(-this.#tailTokens));
    let found: string | undefined;
    let start = tail.length;
    for (const stop of this.#stops) {
      const index = tail.indexOf(stop);
      if (index >= 0 && index < start) [found, start] = [stop, index];
    }
    return found;
  }
}
