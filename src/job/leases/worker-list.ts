export interface KnownWorker {
  readonly id: string;
  readonly name: string;
  lastCall: number;
}

/** The rollout workers that registered with this process. */
export class WorkerList {
  readonly #workers = new Map<string, KnownWorker>();
  /** Workers that had leases before this process started and have not registered with it, and since when they are awaited. */
  readonly #awaited = new Map<string, number>();

  add(id: string, name: string): void {
    this.#awaited.delete(id);
    this.#workers.set(id, { id, name, lastCall: performance.now() });
  }

  /** Notes a call of a worker. Returns false if it is unknown, because this process started after it. */
  touch(id: string): boolean {
    const worker = this.#workers.get(id);
    if (worker) worker.lastCall = performance.now();
    return worker !== undefined;
  }

  /** Notes that a worker from before a restart may register. */
  expect(id: string): void {
    this.#awaited.set(id, performance.now());
  }

  remove(id: string): void {
    this.#workers.delete(id);
    this.#awaited.delete(id);
  }

  /** Returns true if a worker called within `seconds`, or is awaited since then. */
  hasAlive(seconds: number): boolean {
    const since = performance.now() - seconds * 1000;
    const lastCalls = [...this.all().map(({ lastCall }) => lastCall), ...this.#awaited.values()];
    return lastCalls.some((lastCall) => lastCall >= since);
  }

  /** Number of workers that called within `seconds`, at least 1. */
  active(seconds: number): number {
    const since = performance.now() - seconds * 1000;
    return Math.max(1, this.all().filter(({ lastCall }) => lastCall >= since).length);
  }

  /** Returns the name of a worker; its id if it has not registered with this process. */
  nameOf(id: string): string {
    return this.#workers.get(id)?.name ?? id;
  }

  all(): KnownWorker[] {
    return [...this.#workers.values()];
  }
}
