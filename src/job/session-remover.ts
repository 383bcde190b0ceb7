import { setMaxListeners } from "node:events";
import { backoffMilliseconds } from "../support/async/backoff.js";
import { Semaphore } from "../support/async/semaphore.js";
import { sleep } from "../support/async/sleep.js";

export interface SessionRemoverOptions {
  /** Deletes a session of the proxy. Resolves if the session does not exist either. */
  readonly remove: (sessionId: string) => Promise<unknown>;
  /** Deletes the sessions that the proxy has of a lease. */
  readonly removeLease: (leaseId: string) => Promise<unknown>;
  /** Is called when a session is deleted. */
  readonly onRemoved?: ((sessionId: string) => Promise<void>) | undefined;
  /** Is called when the sessions of a lease are deleted. */
  readonly onLeaseRemoved?: ((leaseId: string) => Promise<void>) | undefined;
  /** Time after which the proxy has handled everything that a worker sent before it died. Default 2000. */
  readonly settleMilliseconds?: number | undefined;
}

const CONCURRENCY = 8;
const PAUSES = { firstMilliseconds: 500, longestMilliseconds: 30_000 };

/** Deletes the sessions of runs that do not count. Repeats a deletion until the proxy answers it. */
export class SessionRemover {
  readonly #options: SessionRemoverOptions;
  readonly #slots = new Semaphore(CONCURRENCY);
  readonly #sessions = new Map<string, Promise<void>>();
  readonly #leases = new Map<string, Promise<void>>();
  /** Aborts when {@link close} is called: leases then no longer wait to settle. */
  readonly #closing = new AbortController();
  readonly #stopping = new AbortController();

  constructor(options: SessionRemoverOptions) {
    this.#options = options;
    // Thousands of deletions may listen to these signals. Node would warn of a leak.
    setMaxListeners(Number.POSITIVE_INFINITY, this.#closing.signal, this.#stopping.signal);
  }

  /** Number of sessions that are not deleted yet. */
  get pending(): number {
    return this.#sessions.size;
  }

  add(sessionIds: readonly string[]): void {
    const { remove, onRemoved } = this.#options;
    for (const id of sessionIds) {
      this.#begin(this.#sessions, id, () =>
        this.#repeat(
          () => remove(id),
          () => onRemoved?.(id),
        ),
      );
    }
  }

  /** Deletes the sessions that were started with these leases, which are lost. */
  addLeases(leaseIds: readonly string[]): void {
    const { removeLease, onLeaseRemoved, settleMilliseconds = 2000 } = this.#options;
    for (const id of leaseIds) {
      this.#begin(this.#leases, id, async () => {
        await sleep(settleMilliseconds, this.#closing.signal).catch(() => undefined);
        await this.#repeat(
          () => removeLease(id),
          () => onLeaseRemoved?.(id),
        );
      });
    }
  }

  /** Waits for all deletions, at most for `seconds`. Those that are left are given up. */
  async close(seconds: number): Promise<void> {
    this.#closing.abort();
    const timer = setTimeout(() => this.#stopping.abort(), seconds * 1000);
    await Promise.all([...this.#sessions.values(), ...this.#leases.values()]);
    clearTimeout(timer);
    this.#stopping.abort();
  }

  #begin(pending: Map<string, Promise<void>>, id: string, work: () => Promise<void>): void {
    if (pending.has(id) || this.#stopping.signal.aborted) return;
    pending.set(
      id,
      work().finally(() => pending.delete(id)),
    );
  }

  async #repeat(remove: () => Promise<unknown>, onRemoved: () => Promise<void> | undefined): Promise<void> {
    const { signal } = this.#stopping;
    for (let earlier = 0; !signal.aborted; earlier++) {
      try {
        using _slot = await this.#slots.acquire(signal);
        await remove();
        await onRemoved();
        return;
      } catch {
        await sleep(backoffMilliseconds(earlier, PAUSES), signal).catch(() => undefined);
      }
    }
  }
}
