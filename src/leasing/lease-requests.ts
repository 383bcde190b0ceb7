import type { LeasedTask } from "../rollout/lease/protocol.js";
import { onAbort } from "../support/async/on-abort.js";

export interface TaskRequest {
  readonly workerId: string;
  /** Maximum number of tasks. Default: as many as the worker may hold. */
  readonly count?: number | undefined;
  /** Maximum number of leases that the worker holds with those that it gets. */
  readonly maxHeld?: number | undefined;
}

interface WaitingRequest extends TaskRequest {
  readonly answer: (tasks: LeasedTask[]) => void;
}

/** Returns tasks for a request; undefined if it must wait. */
type Serve = (request: TaskRequest) => LeasedTask[] | undefined;

/** Requests of workers for tasks. */
export class LeaseRequests {
  readonly #serve: Serve;
  /** The waiting request of each worker. A worker has one at a time. */
  readonly #waiting = new Map<string, WaitingRequest>();
  /** Requests that take the tasks that are there. */
  #taking: WaitingRequest[] = [];
  #waking = false;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Resolves with tasks; with none after `milliseconds`, or if the worker sends another request. Rejects if the signal aborts. */
  wait(request: TaskRequest, milliseconds: number, signal: AbortSignal): Promise<LeasedTask[]> {
    this.#waiting.get(request.workerId)?.answer([]);
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

  /** Resolves with the tasks that are there at the end of this event turn. A request of the worker that waits goes on. */
  take(request: TaskRequest): Promise<LeasedTask[]> {
    const { workerId, maxHeld } = request;
    const waiting = this.#waiting.get(workerId);
    // The room that the waiting request was sent for may be filled by this one.
    if (waiting) this.#waiting.set(workerId, { ...waiting, maxHeld });
    return new Promise((answer) => {
      this.#taking.push({ ...request, answer });
      this.wake();
    });
  }

  /** Ends the requests of a worker: it gets no tasks. */
  cancel(workerId: string): void {
    this.#waiting.get(workerId)?.answer([]);
    for (const request of this.#taking.filter((each) => each.workerId === workerId)) request.answer([]);
    this.#taking = this.#taking.filter((each) => each.workerId !== workerId);
  }

  /** Serves the requests that wait, once all tasks of this event turn are there, so that they are shared fairly. */
  wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    setImmediate(() => {
      this.#waking = false;
      const taking = this.#taking;
      this.#taking = [];
      for (const request of taking) request.answer(this.#serve(request) ?? []);
      for (const request of this.#waiting.values()) {
        const tasks = this.#serve(request);
        if (tasks) request.answer(tasks);
      }
    });
  }
}
