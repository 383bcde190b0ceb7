import type { Deadline } from "../../support/async/deadline.js";
import { FairQueue } from "../../support/async/fair-queue.js";

/**
 * Admits the steps in which calls compute: the evaluation of some prompt tokens, or of one output token. During a pause, calls
 * wait between two steps.
 */
export class StepGate {
  readonly #held = new FairQueue<void>();
  readonly #pausing: (() => void)[] = [];
  #running = 0;
  #paused = false;
  #closed: { readonly reason: unknown } | undefined;

  get paused(): boolean {
    return this.#paused;
  }

  /**
   * Runs one step, after the end of a pause. The pause does not count for the deadline.
   *
   * @param step may rely on its synchronous beginning: no pause began or ended since it was admitted
   */
  async run<T>(deadline: Deadline, step: () => Promise<T>): Promise<T> {
    // No `await` may follow this loop, or a pause could begin between the check and the step.
    while (this.#paused && !this.#closed) {
      using _stopped = deadline.stopClock();
      await this.#held.wait("", deadline.signal);
    }
    deadline.signal.throwIfAborted();
    if (this.#closed) throw this.#closed.reason;
    this.#running++;
    try {
      return await step();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#notify();
    }
  }

  /** Admits no more steps. Resolves when none runs, or when {@link resume} ended the pause early. */
  async pause(): Promise<void> {
    this.#paused = true;
    while (this.#paused && this.#running > 0) await new Promise<void>((resolve) => this.#pausing.push(resolve));
  }

  resume(): void {
    this.#paused = false;
    this.#held.serveAll();
    this.#notify();
  }

  /** Fails waiting and later steps with `reason`. */
  close(reason: unknown): void {
    this.#closed = { reason };
    this.#held.rejectAll(reason);
  }

  #notify(): void {
    for (const resolve of this.#pausing.splice(0)) resolve();
  }
}
