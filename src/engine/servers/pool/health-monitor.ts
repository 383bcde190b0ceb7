import { backoffMilliseconds } from "../../../support/async/backoff.js";

const RETRY = { firstMilliseconds: 500, longestMilliseconds: 30_000 };
const CHECK_TIMEOUT_MS = 5_000;

export interface HealthMonitorOptions {
  readonly check: (signal: AbortSignal) => Promise<void>;
  /** Between two checks of a healthy server; 0: none, and what requests report is all that is known. */
  readonly intervalMilliseconds: number;
}

/** Watches one server: at an even pace while it is healthy, ever more slowly while it is not. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  readonly #closed = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** The server has answered, at some time. */
  #reached = false;
  #suspended = false;
  /** Counts suspensions: what an earlier check finds out does not count. */
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

  /** Makes no checks until {@link restart}: the server is paused on purpose. The result of a running check is ignored. */
  suspend(): void {
    this.#suspended = true;
    this.#epoch++;
    clearTimeout(this.#timer);
  }

  /** Takes the server for healthy and checks it again at the even pace. */
  restart(): void {
    this.#suspended = false;
    this.#epoch++;
    this.#failures = 0;
    this.#schedule();
  }

  /** A request found that the server cannot be reached. */
  reportFailure(): void {
    if (!this.healthy) return;
    this.#failures = 1;
    this.#schedule();
  }

  /** A request was answered. Where checks are made, it is they that find a server healthy again. */
  reportSuccess(): void {
    this.#reached = true;
    if (this.#options.intervalMilliseconds === 0) this.#failures = 0;
  }

  /** The server has answered, perhaps some time ago. */
  reportReached(): void {
    this.#reached = true;
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    const { intervalMilliseconds } = this.#options;
    if (intervalMilliseconds === 0 || this.#suspended || this.#closed.signal.aborted) return;
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
  }
}
