import { Fifo } from "../fifo.js";

/** What a stretch of an output is. `undecided`: a header whose message is not known yet. */
export type Stretch = "reasoning" | "answer" | "undecided";

/**
 * Counts the output tokens whose text begins in the reasoning, with the markers and headers that the model wrote for
 * it. Places are in characters with markers. Keeps only tokens that are not read yet.
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

  /** Adds a token whose text begins at a place. Parts of a character begin where the character does. */
  token(at: number): void {
    if (!this.#isOver) this.#starts.push(at);
  }

  /** Says what the output is from a place on. Earlier `undecided` text from there on counts as this, too. */
  begin(stretch: Stretch, at: number): void {
    this.readTo(at);
    this.#stretch = stretch;
  }

  /** Counts the tokens before a place, which is read now. */
  readTo(at: number): void {
    if (this.#stretch === "undecided") return;
    for (let next = this.#starts.next; next !== undefined && next < at; next = this.#starts.next) {
      this.#starts.shift();
      if (this.#stretch === "reasoning") this.#count++;
    }
  }

  /** Says that no reasoning comes from a place on. */
  end(at: number): void {
    this.readTo(at);
    this.#isOver = true;
    this.#stretch = "answer";
    this.readTo(Number.POSITIVE_INFINITY);
  }
}
