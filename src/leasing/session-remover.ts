import { backoffMilliseconds } from "../support/async/backoff.js";
import { Semaphore } from "../support/async/semaphore.js";
import { sleep } from "../support/async/sleep.js";

export interface SessionRemoverOptions {
  /** Deletes a session of the proxy. Resolves if the session does not exist either. */
  readonly remove: (sessionId: string) => Promise<unknown>;
  /** Is called when a session is deleted. */
  readonly onRemoved?: ((sessionId: string) => void) | undefined;
}

const CONCURRENCY = 8;
const PAUSES = { firstMilliseconds: 500, longestMilliseconds: 30_000 };

/** Deletes the sessions of runs that do not count. Repeats a deletion until the proxy answers it. */
export class SessionRemover {
  readonly #options: SessionRemoverOptions;
  readonly #slots = new Semaphore(CONCURRENCY);
  readonly #pending = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(options: SessionRemoverOptions) {
    this.#options = options;
  }

  /** Number of sessions that are not deleted yet. */
  get pending(): number {
    return this.#pending.size;
  }

  add(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      if (this.#pending.has(id) || this.#stopping.signal.aborted) continue;
      this.#pending.set(
        id,
        this.#remove(id).finally(() => this.#pending.delete(id)),
      );
    }
  }

  /** Waits for all deletions, at most for `seconds`. Those that are left are given up. */
  async close(seconds: number): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), seconds * 1000);
    await Promise.all(this.#pending.values());
    clearTimeout(timer);
    this.#stopping.abort();
  }

  async #remove(id: string): Promise<void> {
    const { signal } = this.#stopping;
    for (let earlier = 0; !signal.aborted; earlier++) {
      try {
        using _slot = await this.#slots.acquire(signal);
        await this.#options.remove(id);
        this.#options.onRemoved?.(id);
        return;
      } catch {
        await sleep(backoffMilliseconds(earlier, PAUSES), signal).catch(() => undefined);
      }
    }
  }
}
