/** A worker is unreachable if it answers nothing for this many ticks. Every tick but the last one sends a probe. */
const SILENT_TICKS = 5;

/**
 * The worker closed the connection of a probe. It does so if it has as many connections as it allows, and must not lose its
 * calls then. A stopped process closes no connection.
 */
const CLOSED: ReadonlySet<string | undefined> = new Set(["UND_ERR_SOCKET", "ECONNRESET"]);

export interface WorkerContactOptions {
  /** Asks the worker whether it lives. Rejects if no answer comes before the signal aborts. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** How long a worker that is waited for may answer nothing, in milliseconds. */
  readonly unreachableMilliseconds: number;
  /** Called when the worker becomes unreachable, and when it answers again. */
  readonly onChange: (isUnreachable: boolean) => void;
}

/**
 * Whether a worker answers: the circuit breaker of one worker. While calls wait for the worker, probes ask it whether it
 * lives. However many calls wait, there is one probe a tick. A generation may take any time as long as probes are answered.
 *
 * If nothing is answered for a while, the worker is unreachable: waiting calls end, and new ones are refused without a try.
 * Only probes are sent then. The first answer makes the worker reachable again, so no call is spent on trying.
 *
 * Silence is counted in ticks, not in seconds: a gateway that was itself stopped for a minute has received no answers either.
 */
export class WorkerContact {
  readonly #options: WorkerContactOptions;
  /** One function for each waiting call. */
  readonly #onLost = new Set<() => void>();
  #isUnreachable = false;
  /** A call failed, and the worker has answered nothing since. */
  #isSuspect = false;
  #isClosed = false;
  #hasAnswered = false;
  #silentTicks = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorkerContactOptions) {
    this.#options = options;
  }

  /** Calls to the worker are refused. */
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

  /** A call got no answer, so the worker is probed even if no other call waits. */
  suspect(): void {
    if (this.#isSuspect || this.#isClosed) return;
    this.#isSuspect = true;
    this.#start();
    void this.#probe();
  }

  /** The worker answered a call or a probe. */
  answered(): void {
    this.#hasAnswered = true;
    this.#isSuspect = false;
    this.#silentTicks = 0;
    if (!this.#isUnreachable) return;
    this.#isUnreachable = false;
    this.#options.onChange(false);
  }

  /** The worker left. It is probed only for calls that still wait. */
  close(): void {
    this.#isClosed = true;
    this.#isSuspect = false;
    if (this.#onLost.size === 0) this.#stop();
  }

  /** The timer stops at the first tick without need. Calls that come one after the other would start it each time. */
  #start(): void {
    if (this.#timer) return;
    this.#silentTicks = 0;
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
    // Answers of calls are as good as those of probes.
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
