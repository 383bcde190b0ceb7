import { Fifo } from "../fifo.js";

/** A range of an output's tokens, by index. `to` is exclusive. */
export interface TokenSpan {
  readonly from: number;
  readonly to: number;
}

/** Finds the tokens of each text of an output, in order. A place is a number of characters, including those of markers. */
export class TextTokens {
  readonly #starts = new Fifo<number>();
  /** Index of the first token in `#starts`. */
  #first = 0;

  /** Adds a token whose text begins at a place. */
  addToken(at: number): void {
    this.#starts.push(at);
  }

  /** Returns the tokens of the text between two places, without those that an earlier text had. */
  take(from: number, to: number): TokenSpan {
    while (this.#isBefore(from)) this.#shift();
    const first = this.#first;
    while (this.#starts.length > 0 && (this.#starts.next ?? to) < to) this.#shift();
    return { from: first, to: this.#first };
  }

  /** Returns true if the first token ends before a place. A token without text ends where it begins. */
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
