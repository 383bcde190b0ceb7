import { Fifo } from "../fifo.js";

/** What a stretch of an output is. `undecided`: a header, of which it is not known yet what it heads. */
export type Stretch = "reasoning" | "answer" | "undecided";

/**
 * Counts the tokens of an output that belong to its reasoning: those whose text begins in it, with the markers and headers
 * that the model wrote for it. Places are numbers of characters, markers included. Keeps no more than what is not read.
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

  /** The next token's text begins here; that of a part of a character where the character does. */
  token(at: number): void {
    if (!this.#isOver) this.#starts.push(at);
  }

  /** What is read from here on, or was read from here on while it was undecided. */
  begin(stretch: Stretch, at: number): void {
    this.readTo(at);
    this.#stretch = stretch;
  }

  /** All before this place is read. */
  readTo(at: number): void {
    if (this.#stretch === "undecided") return;
    for (let next = this.#starts.next; next !== undefined && next < at; next = this.#starts.next) {
      this.#starts.shift();
      if (this.#stretch === "reasoning") this.#count++;
    }
  }

  /** No reasoning comes from here on. */
  end(at: number): void {
    this.readTo(at);
    this.#isOver = true;
    this.#stretch = "answer";
    this.readTo(Number.POSITIVE_INFINITY);
  }
}
