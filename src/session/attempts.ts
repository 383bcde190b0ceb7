/**
 * Identifies a request by its content, and by the header `idempotency-key` if its client sent one.
 *
 * @param contentKey digest of the request's content
 * @param keyHash hash of the header, without spaces
 */
export function identifyRequest(contentKey: string, keyHash: string | undefined): string {
  return keyHash === undefined ? contentKey : `${keyHash} ${contentKey}`;
}

/** Returns true if no other request is identified in the same way, whatever its content. */
const isUnique = (request: string): boolean => request.includes(" ");

/** One attempt at a request: a model call that is running, has failed, or was recorded as an interaction. */
export class Attempt {
  /** A number is the index of the recorded interaction. */
  outcome: "running" | "failed" | number = "running";
  /** The attempt that this one repeats. Undefined if there is none or if it failed. */
  earlier: Attempt | undefined;
  /** The attempt that repeats this one. */
  retry: Attempt | undefined;
  /** Identifies the request. Equal for all attempts at it, but also for other requests with the same content. */
  readonly request: string;
  /** Counts up in the order in which attempts begin. */
  readonly number: number;
  /** How often the client had sent the request before. Unknown for attempts that were read from disk: 0. */
  readonly retryCount: number;

  constructor(request: string, number: number, retryCount: number) {
    this.request = request;
    this.number = number;
    this.retryCount = retryCount;
  }
}

/** An attempt that was read from disk. */
export interface RestoredAttempt {
  /** Identifies the request; undefined if it is not known. */
  readonly request: string | undefined;
  /** True if the client received the answer. A later request with the same content is then not a retry of this attempt. */
  readonly answered: boolean;
  /** Index of the interaction of the retry; undefined if no retry was recorded. */
  readonly repeatedBy: number | undefined;
  /** True if a later request named the interaction. */
  readonly referenced: boolean;
}

/** Maximum number of failed attempts that are remembered for one request. */
const MAX_FAILED = 16;
/** Maximum number of requests whose failed attempts are remembered. The oldest request is dropped first. */
const MAX_FAILED_REQUESTS = 1024;

/**
 * Pairs each retry of a request with the attempt that it repeats.
 *
 * An SDK reports how often it sent a request before, but not which calls these were. Several samples of one prompt look the same. So a retry
 * is paired with the attempt whose answer most likely did not reach the client:
 *
 * 1. one that failed,
 * 2. else the newest recorded one whose answer was not delivered,
 * 3. else the newest recorded one,
 * 4. else the oldest that is still running.
 *
 * Attempts may arrive in the wrong order. So a retry skips a failed attempt if an attempt with a retry count between the two
 * has arrived: that attempt is the one that repeats the failed one.
 *
 * No attempt is paired with two retries. If a retry fails, the attempt that it repeats is free for the next retry.
 */
export class RequestAttempts {
  readonly #isUndelivered: (interaction: number) => boolean;
  readonly #onRepeated: (interaction: number) => void;
  /** Running and recorded attempts without a retry, by request. */
  readonly #open = new Map<string, Set<Attempt>>();
  /** Retry counts of failed attempts without a retry, by request. */
  readonly #failed = new Map<string, number[]>();
  readonly #repeated = new Map<number, Attempt>();
  #count = 0;

  /** @param onRepeated called with an interaction once its retry is recorded too */
  constructor(
    isUndelivered: (interaction: number) => boolean,
    onRepeated: (interaction: number) => void = () => undefined,
  ) {
    this.#isUndelivered = isUndelivered;
    this.#onRepeated = onRepeated;
  }

  /** True if a failed attempt waits for its retry. */
  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  /** Returns the index of the interaction that is the retry of `interaction`; undefined if no retry was recorded. */
  repeatedBy(interaction: number): number | undefined {
    const outcome = this.#repeated.get(interaction)?.retry?.outcome;
    return typeof outcome === "number" ? outcome : undefined;
  }

  /** Restores the attempts of a stored session. `stored[i]` belongs to interaction i. */
  restore(stored: readonly RestoredAttempt[]): void {
    const attempts = stored.map(({ request = "" }, index) => {
      const attempt = new Attempt(request, this.#count++, 0);
      attempt.outcome = index;
      return attempt;
    });
    stored.forEach(({ request, answered, repeatedBy }, index) => {
      const attempt = attempts[index];
      const retry = repeatedBy === undefined ? undefined : attempts[repeatedBy];
      if (!attempt) return;
      if (retry) this.#link(attempt, retry);
      else if (request !== undefined && (!answered || isUnique(request))) this.#reopen(attempt);
    });
  }

  /** Recorded attempts that have a retry, by interaction index. */
  get repeated(): ReadonlyMap<number, Attempt> {
    return this.#repeated;
  }

  /** @param retryCount how often the client had sent the request before */
  begin(request: string, retryCount: number): Attempt {
    const attempt = new Attempt(request, this.#count++, retryCount);
    if (retryCount > 0) this.#pair(attempt);
    this.#reopen(attempt);
    return attempt;
  }

  record(attempt: Attempt, interaction: number): void {
    attempt.outcome = interaction;
    if (attempt.retry) this.#repeated.set(interaction, attempt);
    this.#noteRepeated(attempt);
    this.#noteRepeated(attempt.earlier);
  }

  fail(attempt: Attempt): void {
    attempt.outcome = "failed";
    this.#close(attempt);
    const { earlier, retry } = attempt;
    if (retry && earlier) {
      this.#link(earlier, retry);
      this.#noteRepeated(earlier);
    } else if (retry) retry.earlier = undefined;
    else if (earlier) this.#unlink(earlier);
    else this.#addFailed(attempt);
  }

  clear(): void {
    this.#open.clear();
    this.#failed.clear();
    this.#repeated.clear();
  }

  #pair(retry: Attempt): void {
    if (this.#takeFailed(retry)) return;
    const earlier = this.#findRepeated(retry.request);
    if (!earlier) return;
    this.#close(earlier);
    this.#link(earlier, retry);
  }

  #findRepeated(request: string): Attempt | undefined {
    let undelivered: Attempt | undefined;
    let recorded: Attempt | undefined;
    let running: Attempt | undefined;
    for (const attempt of this.#open.get(request) ?? []) {
      if (typeof attempt.outcome !== "number") {
        if (!running || attempt.number < running.number) running = attempt;
        continue;
      }
      if (!isNewer(recorded, attempt)) recorded = attempt;
      if (!isNewer(undelivered, attempt) && this.#isUndelivered(attempt.outcome)) undelivered = attempt;
    }
    return undelivered ?? recorded ?? running;
  }

  #link(earlier: Attempt, retry: Attempt): void {
    earlier.retry = retry;
    retry.earlier = earlier;
    if (typeof earlier.outcome === "number") this.#repeated.set(earlier.outcome, earlier);
  }

  /** Reports that an attempt was repeated, if it and its retry are recorded. */
  #noteRepeated(attempt: Attempt | undefined): void {
    if (typeof attempt?.outcome !== "number" || typeof attempt.retry?.outcome !== "number") return;
    this.#onRepeated(attempt.outcome);
  }

  #unlink(earlier: Attempt): void {
    earlier.retry = undefined;
    if (typeof earlier.outcome === "number") this.#repeated.delete(earlier.outcome);
    this.#reopen(earlier);
  }

  #reopen(attempt: Attempt): void {
    const open = this.#open.get(attempt.request);
    if (open) open.add(attempt);
    else this.#open.set(attempt.request, new Set([attempt]));
  }

  #close(attempt: Attempt): void {
    const open = this.#open.get(attempt.request);
    open?.delete(attempt);
    if (open?.size === 0) this.#open.delete(attempt.request);
  }

  /** Takes a failed attempt that the retry repeats, preferably the one with the next lower retry count. */
  #takeFailed({ request, retryCount }: Attempt): boolean {
    const failed = this.#failed.get(request);
    if (!failed) return false;
    const open = [...(this.#open.get(request) ?? [])];
    const isRepeated = (count: number) => open.some((each) => count < each.retryCount && each.retryCount < retryCount);
    const previous = retryCount - 1;
    const next = failed.includes(previous) ? previous : Math.max(...failed.filter((count) => !isRepeated(count)));
    const index = failed.indexOf(next);
    if (index < 0) return false;
    failed.splice(index, 1);
    if (failed.length === 0) this.#failed.delete(request);
    return true;
  }

  #addFailed({ request, retryCount }: Attempt): void {
    const failed = this.#failed.get(request);
    if (failed && failed.length < MAX_FAILED) failed.push(retryCount);
    else if (!failed) this.#failed.set(request, [retryCount]);
    if (this.#failed.size <= MAX_FAILED_REQUESTS) return;
    const [oldest] = this.#failed.keys();
    if (oldest !== undefined) this.#failed.delete(oldest);
  }
}

/** Returns true if both attempts are recorded, `first` after `second`. */
function isNewer(first: Attempt | undefined, second: Attempt): boolean {
  return typeof first?.outcome === "number" && typeof second.outcome === "number" && first.outcome > second.outcome;
}
