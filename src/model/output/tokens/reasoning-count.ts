import { Fifo } from "../fifo.js";

/** The kind of a stretch of an output. `undecided`: a header whose message is not known yet. */
export type Stretch = "reasoning" | "answer" | "undecided";

/**
 * Counts the output tokens whose text begins in the reasoning, including the markers and headers of the reasoning. Places
 * are in characters with markers. Only unread tokens are kept.
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

  /** Adds a token whose text begins at a place. A part of a character begins where the character begins. */
  addToken(at: number): void {
    if (!this.#isOver) this.#starts.push(at);
  }

  /** Sets the kind of the output from a place on. `undecided` text behind that place then counts as this kind too. */
  begin(stretch: Stretch, at: number): void {
    this.readTo(at);
    this.#stretch = stretch;
  }

  /** Counts the tokens up to a place that is now read. */
  readTo(at: number): void {
    if (this.#stretch === "undecided") return;
    for (let next = this.#starts.next; next !== undefined && next < at; next = this.#starts.next) {
      this.#starts.shift();
      if (this.#stretch === "reasoning") this.#count++;
    }
  }

  /** Notes that there is no reasoning from a place on. */
  end(at: number): void {
    this.readTo(at);
    this.#isOver = true;
    this.#stretch = "answer";
    this.readTo(Number.POSITIVE_INFINITY);
  }
}
