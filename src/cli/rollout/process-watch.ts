import { EXIT_INTERRUPTED, onInterrupt } from "./interrupt.js";
import { exit, guardProcess } from "./process-guard.js";

/** A job that can be stopped before its end. Both methods do nothing once the job is over. */
export interface StoppableJob {
  interrupt(): void;
  fail(error: Error): void;
}

const EXIT_UNCAUGHT = 1;

/**
 * Passes signals and uncaught errors on to the job. It begins before agents are imported and lasts until the summary is
 * printed, because timers and promises of agents outlive the job. Before there is a job, both end the process immediately.
 */
export class ProcessWatch implements Disposable {
  readonly #unguard = guardProcess((error) => (this.#job ? this.#job.fail(error) : exit(EXIT_UNCAUGHT)));
  readonly #removeListeners = onInterrupt(() => this.#interrupt());
  #job: StoppableJob | undefined;
  #interrupted = false;

  /** True after the first signal. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** Call it when the job begins. */
  begin(job: StoppableJob): void {
    this.#job = job;
  }

  /** Stops the job because of an error that prevents its end. */
  fail(error: Error): void {
    this.#job?.fail(error);
  }

  [Symbol.dispose](): void {
    this.#removeListeners();
    this.#unguard();
  }

  #interrupt(): void {
    if (!this.#job) exit(EXIT_INTERRUPTED);
    this.#interrupted = true;
    this.#job.interrupt();
  }
}
