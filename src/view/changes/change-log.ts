/** Maximum number of changes in one page of an overview. It bounds the work of a request, and the length of its answer. */
export const PAGE_CHANGES = 500;

export interface ChangePage<T> {
  readonly changes: readonly T[];
  /** Revision after the last of these changes: the next page begins there. */
  readonly revision: number;
  /** True if there are changes after these. */
  readonly more: boolean;
  /** True if these are the first changes of the log, because the client knows none of it. */
  readonly reset: boolean;
}

/** Changes in their order. The revision grows by one with each change, so a client that knows a revision reads on from there. */
export class ChangeLog<T> {
  readonly #base: number;
  readonly #changes: T[] = [];

  /** @param base revision before the first change, at least 1 */
  constructor(base: number) {
    this.#base = base;
  }

  get revision(): number {
    return this.#base + this.#changes.length;
  }

  /** Number of changes. */
  get length(): number {
    return this.#changes.length;
  }

  /** Returns the revision that the change leads to. */
  add(change: T): number {
    return this.#base + this.#changes.push(change);
  }

  /** Returns the number of changes after a revision. A revision of another log counts as the beginning. */
  countAfter(revision: number): number {
    return this.revision - this.#startOf(revision);
  }

  /** Returns at most {@link PAGE_CHANGES} changes after a revision. A revision of another log counts as the beginning. */
  page(after: number): ChangePage<T> {
    const start = this.#startOf(after);
    const changes = this.#changes.slice(start - this.#base, start - this.#base + PAGE_CHANGES);
    const revision = start + changes.length;
    return { changes, revision, more: revision < this.revision, reset: start !== after };
  }

  #startOf(revision: number): number {
    return revision > this.revision ? this.#base : Math.max(this.#base, revision);
  }
}
