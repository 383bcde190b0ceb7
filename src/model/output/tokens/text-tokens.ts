import { Fifo } from "../fifo.js";

/** Tokens of an output by their numbers, the last one not among them. */
export interface TokenSpan {
  readonly from: number;
  readonly to: number;
}

/** Finds the tokens of the texts that an output tells, in order. Places are numbers of characters, markers included. */
export class TextTokens {
  readonly #starts = new Fifo<number>();
  /** Number of the first token in `#starts`. */
  #first = 0;

  /** The next token's text begins here. */
  token(at: number): void {
    this.#starts.push(at);
  }

  /** The tokens that have a part in the text between two places, unless a text before had a part of theirs. */
  take(from: number, to: number): TokenSpan {
    while (this.#isBefore(from)) this.#shift();
    const first = this.#first;
    while (this.#starts.length > 0 && (this.#starts.next ?? to) < to) this.#shift();
    return { from: first, to: this.#first };
  }

  /** Whether the first token ends before a place. One that has no text of its own is where the next one begins. */
  #isBefore(place: number): boolean {
    const start = this.#starts.next;
    const end = this.#starts.peek(1);
    return start !== undefined && end !== undefined && start < place && end <= place;
  }

  #shift(): void {
    this.#starts.shift();
    this.#first++;
  }
}
