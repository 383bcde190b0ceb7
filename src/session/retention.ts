import type { Session } from "./session.js";

export interface RetentionLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** Which part of a batch was exported. */
export interface ExportedShard {
  readonly shards: number;
  readonly shard: number;
}

interface Kept {
  readonly since: number;
  readonly bytes: number;
  /** Shards of the batch that nobody has asked for yet, by how many there are. */
  readonly missing: Map<number, Set<number>>;
}

/**
 * Exported sessions whose tokens are kept for a while, so that an export whose answer was lost can be had again. What
 * is kept is the tree, not the answer: it is smaller, and the same request packs the same bytes from it. Of a batch that
 * ranks take shard by shard, the sessions are kept whatever their size until each shard was taken or the time is over.
 */
export class Retention {
  readonly #limits: RetentionLimits;
  /** In order of export. */
  readonly #kept = new Map<Session, Kept>();
  #bytes = 0;

  constructor(limits: RetentionLimits) {
    this.#limits = limits;
  }

  /** @param part the shard that was exported; absent: all of the batch */
  keep(sessions: readonly Session[], part?: ExportedShard): void {
    for (const session of sessions) noteTaken(this.#entryOf(session), part);
    this.sweep();
  }

  /** The session is freed by another hand. */
  forget(session: Session): void {
    this.#bytes -= this.#kept.get(session)?.bytes ?? 0;
    this.#kept.delete(session);
  }

  /** Frees what is over the limits, oldest first. */
  sweep(now = Date.now()): void {
    for (const [session, { since, bytes, missing }] of this.#kept) {
      if (session.lifecycle.exporting) continue;
      const overdue = now - since >= this.#limits.milliseconds;
      if (!overdue && this.#bytes <= this.#limits.bytes) return;
      if (!overdue && missing.size > 0) continue;
      this.#kept.delete(session);
      this.#bytes -= bytes;
      session.free("exported");
    }
  }

  #entryOf(session: Session): Kept {
    const kept = this.#kept.get(session) ?? { since: Date.now(), bytes: session.byteLength, missing: new Map() };
    if (!this.#kept.has(session)) {
      this.#kept.set(session, kept);
      this.#bytes += kept.bytes;
    }
    return kept;
  }
}

function noteTaken({ missing }: Kept, part: ExportedShard | undefined): void {
  if (!part || part.shards === 1) return;
  const { shards, shard } = part;
  const others = missing.get(shards) ?? new Set(Array.from({ length: shards }, (_, i) => i));
  others.delete(shard);
  if (others.size > 0) missing.set(shards, others);
  else missing.delete(shards);
}
