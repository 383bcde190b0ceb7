import { Fifo } from "../fifo.js";

/** The kind of a part of an output. `undecided`: a header, before it is known whether it begins reasoning or an answer. */
export type Stretch = "reasoning" | "answer" | "undecided";

/**
 * Counts the output tokens whose text begins in the reasoning. Its markers and headers count as reasoning. A place is a number
 * of characters, including those of markers. Only unread tokens are kept.
 */
export class ReasoningCount {
  readonly #starts = new Fifo<number>();
  #stretch: Stretch = "undecided";
  #isOver = false;
  #count = 0;

  /** Tokens of reasoning so far. */
  get count(): number {
    return this.#count;
  }

  /** Adds a token whose text begins at a place. If a token is only a part of a character, its place is that of the character. */
  addToken(at: number): void {
    if (!this.#isOver) this.#starts.push(at);
  }

  /** Sets the kind of the output from a place on. If the kind was `undecided`, the tokens before that place get it too. */
  begin(stretch: Stretch, at: number): void {
    this.readTo(at);
    this.#stretch = stretch;
  }

  /** Counts the tokens before a place, after the output was read up to there. */
  readTo(at: number): void {
    if (this.#stretch === "undecided") return;
    for (let next = this.#starts.next; next !== undefined && next < at; next = this.#starts.next) {
      this.#starts.shift();
      if (this.#stretch === "reasoning") this.#count++;
    }
  }

  /** Ends the reasoning at a place. Everything from there on is the answer. */
  end(at: number): void {
    this.readTo(at);
    this.#isOver = true;
    this.#stretch = "answer";
    this.readTo(Number.POSITIVE_INFINITY);
  }
}
