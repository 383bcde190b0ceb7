import type { GenerateCall } from "../../engine.js";

/** Ends a request whose server continues after a stop string. This is no failure: the output is complete. */
export class StopReached extends Error {
  override readonly name = "StopReached";
}

/**
 * Searches the growing output for stop strings, and removes the tokens after the token that completes the first of them.
 *
 * Servers search too, except vLLM servers without a detokenizer (`--tokens-only`). No server finds a stop string that
 * began before a weight update cut the generation. Texts are compared as bytes, because a token may end inside a character.
 */
export class StopWatch {
  readonly #call: GenerateCall;
  readonly #tokenBytes: (id: number) => Uint8Array;
  readonly #stops: readonly { readonly text: string; readonly bytes: Buffer }[];
  readonly #tailBytes: number;
  /** The last bytes of the text so far, in which a stop string may have begun. */
  #tail = Buffer.alloc(0);
  #seen = 0;
  #matched: string | undefined;

  private constructor(call: GenerateCall, tokenBytes: (id: number) => Uint8Array, stops: readonly string[]) {
    this.#call = call;
    this.#tokenBytes = tokenBytes;
    this.#stops = stops.map((text) => ({ text, bytes: Buffer.from(text) }));
    this.#tailBytes = Math.max(...this.#stops.map(({ bytes }) => bytes.length)) - 1;
  }

  /** Returns undefined if the call has no stop strings or no `tokenBytes`. */
  static create(call: GenerateCall): StopWatch | undefined {
    const stops = call.sampling.stop.filter((stop) => stop !== "");
    return call.tokenBytes && stops.length > 0 ? new StopWatch(call, call.tokenBytes, stops) : undefined;
  }

  /** The stop string that the output ends with. */
  get matched(): string | undefined {
    return this.#matched;
  }

  /**
   * Reads the new tokens. Tokens after a stop string are removed from the generation.
   *
   * @returns true if tokens were removed; then the server does not know that the output is complete
   */
  read(): boolean {
    const { generation, prompt } = this.#call;
    if (this.#matched === undefined) this.#find(generation.ids(this.#seen));
    if (this.#matched === undefined || generation.length === this.#seen) return false;
    generation.truncate(this.#seen, prompt.length);
    return true;
  }

  /** Starts over after the generation was discarded. */
  reset(): void {
    this.#tail = Buffer.alloc(0);
    this.#seen = 0;
    this.#matched = undefined;
  }

  /** Searches the text of all new tokens at once: a reply that is not streamed has tens of thousands of them. */
  #find(ids: Int32Array): void {
    const pieces = Array.from(ids, this.#tokenBytes);
    const text = Buffer.concat([this.#tail, ...pieces]);
    const end = this.#findEnd(text);
    let length = this.#tail.length;
    for (const piece of pieces) {
      if (length >= end) break;
      this.#seen++;
      length += piece.length;
    }
    if (length >= end) this.#matched = this.#findFirst(text.subarray(0, length));
    else this.#tail = text.subarray(Math.max(0, text.length - this.#tailBytes));
  }

  /** Returns where the stop string that is complete first ends; Infinity if there is none. */
  #findEnd(text: Buffer): number {
    return this.#stops.reduce((end, { bytes }) => {
      const index = text.indexOf(bytes);
      return index < 0 ? end : Math.min(end, index + bytes.length);
    }, Number.POSITIVE_INFINITY);
  }

  /** Returns the stop string that begins first in the text, like the engines do. */
  #findFirst(text: Buffer): string | undefined {
    let found: string | undefined;
    let start = text.length;
    for (const stop of this.#stops) {
      const index = text.indexOf(stop.bytes);
      if (index >= 0 && index < start) [found, start] = [stop.text, index];
    }
    return found;
  }
}
