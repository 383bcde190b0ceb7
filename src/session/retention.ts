import type { Session } from "./session.js";

export interface RetentionLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

/**
 * Exported sessions whose tokens are kept for a while, so that an export whose answer was lost can be had again. What
 * is kept is the tree, not the answer: it is smaller, and the same request packs the same bytes from it.
 */
export class Retention {
  readonly #limits: RetentionLimits;
  /** In order of export. */
  readonly #kept = new Map<Session, { readonly since: number; readonly bytes: number }>();
  #bytes = 0;

  constructor(limits: RetentionLimits) {
    this.#limits = limits;
  }

  keep(session: Session): void {
    if (this.#kept.has(session)) return;
    const bytes = session.byteLength;
    this.#kept.set(session, { since: Date.now(), bytes });
    this.#bytes += bytes;
    this.sweep();
  }

  /** Frees what is over the limits, oldest first. */
  sweep(now = Date.now()): void {
    for (const [session, { since, bytes }] of this.#kept) {
      if (session.lifecycle.exporting) continue;
      const overdue = now - since >= this.#limits.milliseconds;
      if (!overdue && this.#bytes <= this.#limits.bytes) return;
      this.#kept.delete(session);
      this.#bytes -= bytes;
      session.free("exported");
    }
  }
}
