import { countNoun } from "../count-noun.js";

const INTERVAL_MS = 200;
const CLEAR_LINE = "\r\u001b[K";

/** The part of standard error that the progress is written to. */
interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows on a terminal how many sessions a command has read. The command reads without a pause, so there is no timer. */
export class SessionProgress {
  readonly #verb: string;
  readonly #terminal: Terminal;
  readonly #now: () => number;
  #done = 0;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** @param verb what is done with the sessions, for example `verified` */
  constructor(verb: string, terminal: Terminal = process.stderr, now: () => number = () => performance.now()) {
    this.#verb = verb;
    this.#terminal = terminal;
    this.#now = now;
  }

  /**
   * Counts a session.
   *
   * @param total number of all sessions, if it is known
   */
  step(total?: number): void {
    this.#done++;
    if (!this.#terminal.isTTY || this.#now() - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = this.#now();
    const done =
      total === undefined ? countNoun(this.#done, "session") : `${this.#done} of ${countNoun(total, "session")}`;
    this.#terminal.write(`${CLEAR_LINE}${this.#verb} ${done}`);
  }

  /** Removes the line, so that something else can be printed. */
  clear(): void {
    if (this.#terminal.isTTY) this.#terminal.write(CLEAR_LINE);
  }
}
