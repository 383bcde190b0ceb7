import type { LeasedTask } from "../../rollout/lease/protocol.js";
import { onAbort } from "../../support/async/on-abort.js";

export interface TaskRequest {
  readonly workerId: string;
  /** Maximum number of tasks. Default: as many as the worker may hold. */
  readonly count?: number | undefined;
  /** Maximum number of leases that the worker holds with those that it gets. */
  readonly maxHeld?: number | undefined;
  /** True if the worker's agent can go on with sessions of lost leases. */
  readonly canResume?: boolean | undefined;
}

interface WaitingRequest extends TaskRequest {
  readonly answer: (tasks: LeasedTask[]) => void;
  readonly fail: (error: unknown) => void;
}

export interface LeaseRequestsOptions {
  /** Returns tasks for a request; undefined if it must wait. */
  readonly serve: (request: TaskRequest) => Promise<LeasedTask[] | undefined>;
  /** Takes tasks back that nobody waits for any more. */
  readonly giveBack: (tasks: readonly LeasedTask[]) => Promise<unknown>;
}

/** Requests of workers for tasks. */
export class LeaseRequests {
  readonly #options: LeaseRequestsOptions;
  /** The waiting request of each worker. A worker has one at a time. */
  readonly #waiting = new Map<string, WaitingRequest>();
  /** Requests that take the tasks that are there. */
  readonly #taking = new Set<WaitingRequest>();
  #isServing = false;
  #mustServe = false;

  constructor(options: LeaseRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** True if a request of the worker waits. */
  has(workerId: string): boolean {
    return this.#waiting.has(workerId);
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
      const fail = (error: unknown) => {
        settle();
        reject(error as Error);
      };
      const listening = onAbort(signal, () => fail(signal.reason));
      this.#waiting.set(request.workerId, { ...request, answer, fail });
      this.wake();
    });
  }

  /** Resolves with the tasks that are there at the end of this event turn. A request of the worker that waits goes on. */
  take(request: TaskRequest): Promise<LeasedTask[]> {
    const { workerId, maxHeld } = request;
    const waiting = this.#waiting.get(workerId);
    // The room that the waiting request was sent for may be filled by this one.
    if (waiting) this.#waiting.set(workerId, { ...waiting, maxHeld });
    return new Promise((resolve, reject) => {
      const answer = (tasks: LeasedTask[]) => {
        this.#taking.delete(taking);
        resolve(tasks);
      };
      const fail = (error: unknown) => {
        this.#taking.delete(taking);
        reject(error as Error);
      };
      const taking: WaitingRequest = { ...request, answer, fail };
      this.#taking.add(taking);
      this.wake();
    });
  }

  /** Ends the requests of a worker: it gets no tasks. */
  cancel(workerId: string): void {
    this.#waiting.get(workerId)?.answer([]);
    for (const request of this.#taking) if (request.workerId === workerId) request.answer([]);
  }

  /** Serves the requests that wait, once all tasks of this event turn are there, so that they are shared fairly. */
  wake(): void {
    this.#mustServe = true;
    if (this.#isServing) return;
    this.#isServing = true;
    setImmediate(() => void this.#serveAll());
  }

  async #serveAll(): Promise<void> {
    while (this.#mustServe) {
      this.#mustServe = false;
      for (const request of this.#taking) {
        await this.#serve(request, () => this.#taking.has(request), []);
      }
      for (const { workerId } of this.#waiting.values()) {
        const request = this.#waiting.get(workerId);
        if (request) await this.#serve(request, () => this.#waiting.get(workerId)?.answer === request.answer);
      }
    }
    // At once: a wake after the loop must find it ended.
    this.#isServing = false;
  }

  async #serve(request: WaitingRequest, isOpen: () => boolean, otherwise?: LeasedTask[]): Promise<void> {
    try {
      const tasks = (await this.#options.serve(request)) ?? otherwise;
      if (tasks === undefined) return;
      if (isOpen()) request.answer(tasks);
      else if (tasks.length > 0) await this.#options.giveBack(tasks);
    } catch (error) {
      request.fail(error);
    }
  }
}
