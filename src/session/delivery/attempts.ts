import { Attempt, isUnique, NOT_REPEATED } from "./attempt.js";
import { FailedAttempts } from "./failed-attempts.js";
import { OpenAttempts } from "./open-attempts.js";

/** An attempt that was read from disk. */
export interface RestoredAttempt {
  /** Identifies the request; undefined if it is not known. */
  readonly request: string | undefined;
  /** How often the client had sent the request before. */
  readonly retryCount: number;
  /** True if the client received the answer. A later request with the same content is then not a retry of this attempt. */
  readonly answered: boolean;
  /** Index of the interaction of the retry; undefined if no retry was recorded. */
  readonly repeatedBy: number | undefined;
  /** True if a later request named the interaction. */
  readonly referenced: boolean;
}

/**
 * Pairs each retry of a request with the attempt that it repeats.
 *
 * An SDK reports how often it sent a request before, but not which calls these were. Several samples of one prompt look the same. So a retry
 * is paired with the attempt that has the next lower retry count. If several have it, it is the one whose answer most likely did not
 * reach the client:
 *
 * 1. one that failed,
 * 2. else the newest recorded one whose answer was not delivered,
 * 3. else the newest recorded one with the same `idempotency-key`,
 * 4. else the oldest that is still running.
 *
 * Without a key, an answer that was delivered is never the one that a retry repeats: it may be another sample of the prompt.
 *
 * Attempts may arrive in the wrong order. If an attempt arrives after its own retry, the `idempotency-key` shows this. It is then put
 * between the attempts with the next lower and the next higher retry count. Without a key it may be another sample of the same prompt,
 * so it is not paired.
 *
 * No attempt is paired with two retries. If a retry fails, the attempt that it repeats is free for the next retry.
 */
export class RequestAttempts {
  readonly #isUndelivered: (interaction: number) => boolean;
  readonly #onRepeated: (interaction: number) => void;
  readonly #open = new OpenAttempts();
  readonly #failed = new FailedAttempts();
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
    return !this.#failed.isEmpty;
  }

  /** Returns the index of the interaction that is the first recorded retry of `interaction`; undefined if no retry was recorded. */
  repeatedBy(interaction: number): number | undefined {
    let retry = this.#repeated.get(interaction)?.retry;
    while (retry?.outcome === "running") ({ retry } = retry);
    return typeof retry?.outcome === "number" ? retry.outcome : undefined;
  }

  /** Restores the attempts of a stored session. `stored[i]` belongs to interaction i. */
  restore(stored: readonly RestoredAttempt[]): void {
    const attempts = stored.map(({ request = "", retryCount }, index) => {
      const attempt = new Attempt(request, this.#count++, retryCount);
      attempt.outcome = index;
      return attempt;
    });
    stored.forEach(({ request, answered, repeatedBy }, index) => {
      const attempt = attempts[index];
      const retry = repeatedBy === undefined ? undefined : attempts[repeatedBy];
      if (!attempt) return;
      if (retry) this.#link(attempt, retry);
      else if (request !== undefined && (!answered || isUnique(request))) this.#open.add(attempt);
    });
  }

  /** Recorded attempts that have a retry, by interaction index. */
  get repeated(): ReadonlyMap<number, Attempt> {
    return this.#repeated;
  }

  /** @param retryCount how often the client had sent the request before */
  begin(request: string, retryCount: number): Attempt {
    const attempt = new Attempt(request, this.#count++, retryCount);
    const later = isUnique(request) ? this.#findLater(attempt) : undefined;
    if (later) this.#insert(attempt, later);
    else {
      if (retryCount > 0) this.#pair(attempt);
      this.#open.add(attempt);
    }
    return attempt;
  }

  record(attempt: Attempt, interaction: number): void {
    attempt.outcome = interaction;
    if (attempt.retry) this.#repeated.set(interaction, attempt);
    this.#noteRepeated(attempt);
    // Behind a call that arrived late, the retry is recorded first.
    let { earlier } = attempt;
    while (earlier?.outcome === "running") ({ earlier } = earlier);
    this.#noteRepeated(earlier);
  }

  fail(attempt: Attempt): void {
    attempt.outcome = "failed";
    this.#open.delete(attempt);
    const { earlier, retry } = attempt;
    if (retry && earlier) this.#link(earlier, retry);
    else if (retry) retry.earlier = undefined;
    else if (earlier) this.#unlink(earlier);
    // A key shows which recorded attempt a retry repeats, whatever failed in between.
    else if (!isUnique(attempt.request)) this.#failed.add(attempt);
  }

  clear(): void {
    this.#open.clear();
    this.#failed.clear();
    this.#repeated.clear();
  }

  #pair(retry: Attempt): void {
    const failed = this.#failed.findNearest(retry);
    const earlier = this.#findRepeated(retry);
    if (failed !== undefined && (!earlier || retry.nearnessOf(failed) >= retry.nearnessOf(earlier.retryCount))) {
      this.#failed.take(retry.request, failed);
    } else if (earlier) {
      this.#open.delete(earlier);
      this.#link(earlier, retry);
    }
  }

  #findRepeated(retry: Attempt): Attempt | undefined {
    let undelivered: Attempt | undefined;
    let recorded: Attempt | undefined;
    let running: Attempt | undefined;
    for (const attempt of this.#listNearest(retry)) {
      if (typeof attempt.outcome !== "number") {
        if (!running || attempt.number < running.number) running = attempt;
        continue;
      }
      if (!isNewer(recorded, attempt)) recorded = attempt;
      if (!isNewer(undelivered, attempt) && this.#isUndelivered(attempt.outcome)) undelivered = attempt;
    }
    return undelivered ?? recorded ?? running;
  }

  /** Returns the open attempts that the retry may repeat and whose retry count is nearest to that of the retry. */
  #listNearest(retry: Attempt): Attempt[] {
    let nearest = NOT_REPEATED + 1;
    let found: Attempt[] = [];
    for (const attempt of this.#open.of(retry.request)) {
      const nearness = retry.nearnessOf(attempt.retryCount);
      if (nearness < nearest || this.#isDeliveredWithoutKey(attempt)) continue;
      if (nearness > nearest) [nearest, found] = [nearness, []];
      found.push(attempt);
    }
    return found;
  }

  /** Returns true if the answer was delivered and the request has no key that identifies its retries. */
  #isDeliveredWithoutKey({ outcome, request }: Attempt): boolean {
    return typeof outcome === "number" && !isUnique(request) && !this.#isUndelivered(outcome);
  }

  /**
   * Returns the attempt with the next higher retry count that began before this one; undefined if there is none. If several attempts have
   * this count, returns the oldest. If an attempt with the same count began before, the client counts from 0 again and this one is not late.
   */
  #findLater({ request, retryCount }: Attempt): Attempt | undefined {
    let found: Attempt | undefined;
    for (const last of this.#open.of(request)) {
      let [at, later]: (Attempt | undefined)[] = [last, undefined];
      for (; at && at.retryCount > retryCount; at = at.earlier) later = at;
      if (at?.retryCount === retryCount) return undefined;
      if (later && (!found || later.retryCount < found.retryCount || isOlderTwin(later, found))) found = later;
    }
    return found;
  }

  /** Puts an attempt that arrived late before `later`. */
  #insert(attempt: Attempt, later: Attempt): void {
    const { earlier } = later;
    if (earlier) this.#link(earlier, attempt);
    this.#link(attempt, later);
  }

  #link(earlier: Attempt, retry: Attempt): void {
    earlier.retry = retry;
    retry.earlier = earlier;
    if (typeof earlier.outcome === "number") this.#repeated.set(earlier.outcome, earlier);
  }

  /** Reports that an attempt was repeated, if it and one of its retries are recorded. */
  #noteRepeated(attempt: Attempt | undefined): void {
    if (typeof attempt?.outcome !== "number" || this.repeatedBy(attempt.outcome) === undefined) return;
    this.#onRepeated(attempt.outcome);
  }

  #unlink(earlier: Attempt): void {
    earlier.retry = undefined;
    if (typeof earlier.outcome === "number") this.#repeated.delete(earlier.outcome);
    this.#open.add(earlier);
  }
}

/** Returns true if both attempts have the same retry count and `first` began before `second`. */
function isOlderTwin(first: Attempt, second: Attempt): boolean {
  return first.retryCount === second.retryCount && first.number < second.number;
}

/** Returns true if both attempts are recorded, `first` after `second`. */
function isNewer(first: Attempt | undefined, second: Attempt): boolean {
  return typeof first?.outcome === "number" && typeof second.outcome === "number" && first.outcome > second.outcome;
}
