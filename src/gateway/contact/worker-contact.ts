/** A worker is unreachable if it answers nothing for this many ticks. Each of these ticks except the last one sends a probe. */
const SILENT_TICKS = 5;

/**
 * Errors of a probe whose connection the worker closed. A worker does this when it has `server.max_connections` connections. It is
 * alive then: a stopped process closes no connection.
 */
const CLOSED: ReadonlySet<string | undefined> = new Set(["UND_ERR_SOCKET", "ECONNRESET"]);

export interface WorkerContactOptions {
  /** Sends a probe to the worker. Rejects if no answer arrives before the signal aborts. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Time without an answer after which a worker is unreachable, in milliseconds. */
  readonly unreachableMilliseconds: number;
  /** Called when the worker becomes unreachable, and when it answers again. */
  readonly onChange: (isUnreachable: boolean) => void;
}

/**
 * The circuit breaker of one worker. While calls wait for the worker, it is probed once per tick, however many calls wait. A
 * generation may take any time as long as the worker answers calls or probes.
 *
 * If it answers nothing for a while, it is unreachable: waiting calls end, and new ones are refused immediately. Then only probes
 * are sent. The first answer makes the worker reachable again, so no call has to fail to test it.
 *
 * Silence is counted in ticks, not in seconds: a gateway that was itself stopped for a minute received no answers either.
 */
export class WorkerContact {
  readonly #options: WorkerContactOptions;
  /** Functions that end the waiting calls. */
  readonly #onLost = new Set<() => void>();
  #isUnreachable = false;
  /** True if a call failed and the worker has answered nothing since. */
  #isSuspect = false;
  #isClosed = false;
  #hasAnswered = false;
  #silentTicks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerContactOptions) {
    this.#options = options;
  }

  /** True if calls to the worker are refused. */
  get isUnreachable(): boolean {
    return this.#isUnreachable;
  }

  /**
   * Watches the worker for a call that waits for it.
   *
   * @param onLost called if the worker becomes unreachable
   * @returns a function that ends the watch
   */
  watch(onLost: () => void): () => void {
    this.#onLost.add(onLost);
    this.#start();
    return () => void this.#onLost.delete(onLost);
  }

  /** Reports a call without an answer. The worker is then probed even if no other call waits. */
  suspect(): void {
    if (this.#isSuspect || this.#isClosed) return;
    this.#isSuspect = true;
    this.#start();
    void this.#probe();
  }

  /** Reports that the worker answered a call or a probe. */
  answered(): void {
    this.#hasAnswered = true;
    this.#isSuspect = false;
    this.#silentTicks = 0;
    if (!this.#isUnreachable) return;
    this.#isUnreachable = false;
    this.#options.onChange(false);
  }

  /** Stops probing the worker once no call waits for it. Call this when the worker has left. */
  close(): void {
    this.#isClosed = true;
    this.#isSuspect = false;
    if (this.#onLost.size === 0) this.#stop();
  }

  /** Starts the timer. It stops at the first tick that is not needed, so that consecutive calls need not restart it. */
  #start(): void {
    if (this.#timer) return;
    this.#silentTicks = 0;
    this.#hasAnswered = false;
    this.#timer = setInterval(() => this.#tick(), this.#options.unreachableMilliseconds / SILENT_TICKS);
    this.#timer.unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    const isNeeded = this.#onLost.size > 0 || this.#isSuspect || (this.#isUnreachable && !this.#isClosed);
    if (!isNeeded) return this.#stop();
    const hasAnswered = this.#hasAnswered;
    this.#hasAnswered = false;
    // Any answer shows that the worker is alive, so no probe is needed.
    if (hasAnswered) return;
    this.#silentTicks++;
    if (this.#silentTicks >= SILENT_TICKS && !this.#isUnreachable) this.#lose();
    else void this.#probe();
  }

  async #probe(): Promise<void> {
    try {
      await this.#options.probe(AbortSignal.timeout(this.#options.unreachableMilliseconds));
      this.answered();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (CLOSED.has(code)) this.answered();
      // Nothing listens at the address.
      else if (code === "ECONNREFUSED" && !this.#isUnreachable) this.#lose();
    }
  }

  #lose(): void {
    this.#isUnreachable = true;
    this.#isSuspect = false;
    this.#options.onChange(true);
    for (const onLost of this.#onLost) onLost();
  }
}
