import type { Attempt } from "./attempt.js";

const NONE: readonly Attempt[] = [];

/** Running and recorded attempts without a retry, by request. Almost every request has one, which is kept without a set around it. */
export class OpenAttempts {
  readonly #byRequest = new Map<string, Attempt | Set<Attempt>>();

  of(request: string): Iterable<Attempt> {
    const open = this.#byRequest.get(request);
    if (!open) return NONE;
    return open instanceof Set ? open : [open];
  }

  add(attempt: Attempt): void {
    const { request } = attempt;
    const open = this.#byRequest.get(request);
    if (open instanceof Set) open.add(attempt);
    else this.#byRequest.set(request, open && open !== attempt ? new Set([open, attempt]) : attempt);
  }

  delete(attempt: Attempt): void {
    const { request } = attempt;
    const open = this.#byRequest.get(request);
    if (open instanceof Set) {
      open.delete(attempt);
      if (open.size === 0) this.#byRequest.delete(request);
    } else if (open === attempt) this.#byRequest.delete(request);
  }

  clear(): void {
    this.#byRequest.clear();
  }
}
