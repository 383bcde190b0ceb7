import { type Attempt, NOT_REPEATED } from "./attempt.js";

/** Maximum number of failed attempts that are remembered for one request. */
const MAX_FAILED = 16;
/** Maximum number of requests whose failed attempts are remembered. The oldest request is dropped first. */
const MAX_FAILED_REQUESTS = 1024;

/** The failed attempts of a session that no retry has repeated yet. Keeps only their retry counts. */
export class FailedAttempts {
  readonly #counts = new Map<string, number[]>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  /** Returns the retry count of the failed attempt that is nearest to a retry; undefined if there is none. */
  findNearest(retry: Attempt): number | undefined {
    let nearest = NOT_REPEATED;
    let found: number | undefined;
    for (const count of this.#counts.get(retry.request) ?? []) {
      const nearness = retry.nearnessOf(count);
      if (nearness > nearest) [nearest, found] = [nearness, count];
    }
    return found;
  }

  /** Removes an attempt, because a retry repeats it. */
  take(request: string, retryCount: number): void {
    const counts = this.#counts.get(request) ?? [];
    counts.splice(counts.indexOf(retryCount), 1);
    if (counts.length === 0) this.#counts.delete(request);
  }

  add({ request, retryCount }: Attempt): void {
    const counts = this.#counts.get(request);
    if (counts && counts.length < MAX_FAILED) counts.push(retryCount);
    else if (!counts) this.#counts.set(request, [retryCount]);
    if (this.#counts.size <= MAX_FAILED_REQUESTS) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }

  clear(): void {
    this.#counts.clear();
  }
}
