import { untilAborted } from "../../support/async/until-aborted.js";

/** Time between two polls of absent workers while requests wait for them. */
const POLL_EVERY_MS = 500;

export interface WorkerReturnsOptions {
  /** Time for which requests wait for a worker after it left. 0: they do not wait. */
  readonly milliseconds: number;
  /** Polls the addresses of the absent workers. */
  readonly poll: () => Promise<void>;
}

/** An absent worker, and the requests that wait for it. */
interface Absence {
  readonly timer: NodeJS.Timeout;
  /** Functions that end the waits of the requests. */
  readonly releases: Set<() => void>;
}

/**
 * The absent workers: they cannot be reached, but may return with the same tag, such as a server that restarts on its storage folder.
 *
 * The time limit counts from when the worker left, not from each request. Afterwards, requests for the worker fail at once.
 */
export class WorkerReturns {
  readonly #options: WorkerReturnsOptions;
  readonly #absences = new Map<string, Absence>();
  #waiting = 0;
  #pollTimer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(options: WorkerReturnsOptions) {
    this.#options = options;
  }

  /** The number of requests that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Tags of the absent workers. */
  get tags(): string[] {
    return [...this.#absences.keys()];
  }

  isAbsent(tag: string): boolean {
    return this.#absences.has(tag);
  }

  /** Reports that a worker cannot be reached. Further reports do not extend the time limit. */
  left(tag: string): void {
    const { milliseconds } = this.#options;
    if (milliseconds === 0 || this.#absences.has(tag)) return;
    const timer = setTimeout(() => this.#end(tag), milliseconds).unref();
    this.#absences.set(tag, { timer, releases: new Set() });
  }

  /** Reports that a worker with this tag can be reached. */
  returned(tag: string): void {
    this.#end(tag);
  }

  /**
   * Waits until the worker returns or the time limit is reached. Returns at once if the worker is not absent.
   *
   * @throws the signal's reason if it aborts first
   */
  async wait(tag: string, signal: AbortSignal): Promise<void> {
    const absence = this.#absences.get(tag);
    if (!absence) return;
    let release = () => {};
    const ended = new Promise<void>((resolve) => (release = resolve));
    absence.releases.add(release);
    this.#waiting++;
    this.#pollTimer ??= setInterval(() => void this.#poll(), POLL_EVERY_MS).unref();
    try {
      await untilAborted(ended, signal);
    } finally {
      absence.releases.delete(release);
      this.#waiting--;
      if (this.#waiting === 0) this.#stopPolling();
    }
  }

  /** Ends all waits, and with them the polls. */
  close(): void {
    for (const tag of this.tags) this.#end(tag);
  }

  #end(tag: string): void {
    const absence = this.#absences.get(tag);
    if (!absence) return;
    clearTimeout(absence.timer);
    this.#absences.delete(tag);
    for (const release of absence.releases) release();
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#options.poll();
    } finally {
      this.#isPolling = false;
    }
  }

  #stopPolling(): void {
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
  }
}
