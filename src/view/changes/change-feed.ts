import { eventLoop } from "../../support/async/event-loop.js";
import { sleep } from "../../support/async/sleep.js";
import { Waiters } from "../../support/async/waiters.js";
import { type ChangeLog, type ChangePage, PAGE_CHANGES } from "./change-log.js";

/** Maximum time that a request for changes waits. Proxies and browsers close connections that are silent for much longer. */
const WAIT_MS = 20_000;

export interface ChangeFeedOptions<T> {
  /** Adds what has changed to the log, in slices of the event loop, and calls `progress` after each change. */
  readonly read: (progress: () => void) => Promise<void>;
  /** Returns the current log. */
  readonly log: () => ChangeLog<T>;
  readonly pollMilliseconds: number;
}

/** Gives out the changes of a log page by page, while a look for further changes goes on in the background. */
export class ChangeFeed<T> {
  readonly #options: ChangeFeedOptions<T>;
  readonly #progress = new Waiters();
  #reading: Promise<void> | undefined;

  constructor(options: ChangeFeedOptions<T>) {
    this.#options = options;
  }

  /** Looks for changes. Calls that come together share one look. */
  refresh(): Promise<void> {
    if (this.#reading) return this.#reading;
    const reading = this.#options.read(this.#onChange).finally(() => (this.#reading = undefined));
    this.#reading = reading;
    // After it has settled, so that its error reaches those who wait for it.
    const wake = (): void => this.#progress.wake();
    reading.then(wake, wake);
    return reading;
  }

  /** Resolves when no look is in progress. */
  async settled(): Promise<void> {
    await this.#reading?.catch(() => undefined);
  }

  /** Returns the changes after a revision: at once if they fill a page, otherwise after a look for more. */
  async page(after: number): Promise<ChangePage<T>> {
    const { log } = this.#options;
    let reading: Promise<unknown> | undefined = log().countAfter(after) < PAGE_CHANGES ? this.refresh() : undefined;
    while (reading && log().countAfter(after) < PAGE_CHANGES) {
      await Promise.race([reading, this.#progress.wait(Number.POSITIVE_INFINITY)]);
      reading = this.#reading;
    }
    // Its answer is made in the same iteration: not in one with a slice of the look, or with another answer.
    await eventLoop.yield();
    const page = log().page(after);
    return { ...page, more: page.more || this.#reading !== undefined };
  }

  /** Waits until there is a change after a revision, at most {@link WAIT_MS}, and returns the page after that revision. */
  async changes(after: number, signal: AbortSignal): Promise<ChangePage<T>> {
    const until = performance.now() + WAIT_MS;
    let page = await this.page(after);
    while (after === page.revision && performance.now() < until) {
      if (!page.more) await sleep(this.#options.pollMilliseconds, signal);
      page = await this.page(after);
    }
    return page;
  }

  readonly #onChange = (): void => {
    if (this.#options.log().length % PAGE_CHANGES === 0) this.#progress.wake();
  };
}
