import { backoffMilliseconds } from "../../../support/async/backoff.js";

const RETRY = { firstMilliseconds: 500, longestMilliseconds: 30_000 };
const CHECK_TIMEOUT_MS = 5_000;

export interface HealthMonitorOptions {
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Interval between two checks of a healthy server. 0: no checks; only requests show the server's state. */
  readonly intervalMilliseconds: number;
  /** Called when the server becomes unhealthy. */
  readonly onDown?: (() => void) | undefined;
}

/** Checks one server periodically: at a fixed interval while it is healthy, with growing intervals while it is not. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The server has answered at least once. */
  #reached = false;
  #suspended = false;
  /** Raised by {@link suspend} and {@link restart}. The result of a check from an earlier epoch is ignored. */
  #epoch = 0;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** True if requests may be sent to the server. This includes a server that was never reached and has not failed. */
  get healthy(): boolean {
    return this.#failures === 0;
  }

  /** State of the server: `unknown` until a request or a check has succeeded or failed. */
  get state(): "up" | "down" | "unknown" {
    if (!this.healthy) return "down";
    return this.#reached ? "up" : "unknown";
  }

  /** False if only requests and checks on demand show the server's state. */
  get isChecking(): boolean {
    return this.#options.intervalMilliseconds > 0;
  }

  /** Stops checks until {@link restart}, because the server is paused on purpose. The result of a running check is ignored. */
  suspend(): void {
    this.#suspended = true;
    this.#epoch++;
    clearTimeout(this.#timer);
  }

  /** Assumes that the server is healthy and resumes checks at the fixed interval. */
  restart(): void {
    this.#suspended = false;
    this.#epoch++;
    this.#failures = 0;
    this.#schedule();
  }

  /** Reports that a request could not reach the server. */
  reportFailure(): void {
    if (!this.healthy) return;
    this.#failures = 1;
    this.#schedule();
    this.#options.onDown?.();
  }

  /** Reports that a request was answered. This makes a server healthy again only if there are no checks. */
  reportSuccess(): void {
    this.#reached = true;
    if (!this.isChecking) this.#failures = 0;
  }

  /** Reports that the server has answered, perhaps some time ago. */
  reportReached(): void {
    this.#reached = true;
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const { intervalMilliseconds } = this.#options;
    if (!this.isChecking || this.#suspended || this.#closed.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), this.healthy ? intervalMilliseconds : this.#retryDelay());
    this.#timer.unref();
  }

  #retryDelay(): number {
    return backoffMilliseconds(this.#failures - 1, RETRY);
  }

  async #check(): Promise<void> {
    const epoch = this.#epoch;
    const failed = await this.#options
      .check(AbortSignal.any([this.#closed.signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]))
      .then(
        () => false,
        () => true,
      );
    if (epoch !== this.#epoch) return;
    this.#failures = failed ? this.#failures + 1 : 0;
    if (!failed) this.#reached = true;
    this.#schedule();
    if (this.#failures === 1) this.#options.onDown?.();
  }
}
