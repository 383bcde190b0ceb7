import type { LeasedTask } from "../rollout/lease/protocol.js";
import { onAbort } from "../support/async/on-abort.js";

export interface WaitingRequest {
  readonly workerId: string;
  readonly count: number;
}

/** Returns tasks for a request; undefined if it must wait. */
type Serve = (request: WaitingRequest) => LeasedTask[] | undefined;

/** Requests of workers that wait for tasks. */
export class LeaseRequests {
  readonly #serve: Serve;
  /** The waiting request of each worker. A worker has one at a time. */
  readonly #waiting = new Map<string, WaitingRequest & { readonly answer: (tasks: LeasedTask[]) => void }>();
  #waking = false;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with tasks; with none after `milliseconds`, or if the worker sends another request. Rejects if the signal aborts. */
  wait(request: WaitingRequest, milliseconds: number, signal: AbortSignal): Promise<LeasedTask[]> {
    this.cancel(request.workerId);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const settle = () => {
        clearTimeout(timer);
        listening[Symbol.dispose]();
        this.#waiting.delete(request.workerId);
      };
      const answer = (tasks: LeasedTask[]) => {
        settle();
        resolve(tasks);
      };
      const timer = setTimeout(() => answer([]), milliseconds);
      const listening = onAbort(signal, () => {
        settle();
        reject(signal.reason as Error);
      });
      this.#waiting.set(request.workerId, { ...request, answer });
      this.wake();
    });
  }

  /** Ends the waiting request of a worker: it gets no tasks. */
  cancel(workerId: string): void {
    this.#waiting.get(workerId)?.answer([]);
  }

  /** Serves the requests that wait, once all tasks of this event turn are there, so that they are shared fairly. */
  wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      for (const request of this.#waiting.values()) {
        const tasks = this.#serve(request);
        if (tasks) request.answer(tasks);
      }
    });
  }
}
