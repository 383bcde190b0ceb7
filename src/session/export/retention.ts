import type { Session } from "../session.js";

export interface RetentionLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The part of a batch that was exported. */
export interface ExportedShard {
  readonly shards: number;
  readonly shard: number;
}

/** The exports of a session that is retained. */
export interface ExportedShards {
  /** Time of the first export, in milliseconds since the epoch. */
  readonly since: number;
  /** Memory of the session in bytes. */
  readonly bytes: number;
  /** Indices of the shards that were not exported yet, by the number of shards. */
  readonly missing: readonly (readonly [shards: number, missing: readonly number[]])[];
}

interface Kept {
  readonly since: number;
  readonly bytes: number;
  /** Indices of the shards that were not exported yet, by the number of shards. */
  missing: ReadonlyMap<number, Set<number>>;
}

/**
 * Keeps the tokens of exported sessions for a while, so that an export whose response was lost can be repeated.
 *
 * It keeps the tree, not the response: the tree is smaller, and the same request packs the same bytes from it. Sessions
 * of a batch that is exported shard by shard are kept, whatever their size, until every shard was exported or the time
 * is over.
 */
export class Retention {
  readonly #limits: RetentionLimits;
  /** In order of export. */
  readonly #kept = new Map<Session, Kept>();
  #bytes = 0;

  constructor(limits: RetentionLimits) {
    this.#limits = limits;
  }

  /** @param part the shard that was exported; absent: the whole batch */
  keep(sessions: readonly Session[], part?: ExportedShard): void {
    const now = Date.now();
    for (const session of sessions) noteExported(this.#findOrAdd(session, now), part);
    this.sweep(now);
  }

  /** Returns the exports of a session; undefined if the session is not kept. */
  describe(session: Session): ExportedShards | undefined {
    const kept = this.#kept.get(session);
    if (!kept) return undefined;
    return { ...kept, missing: [...kept.missing].map(([shards, missing]) => [shards, [...missing]]) };
  }

  /** Keeps a session that an earlier process exported. Call it in the order of export. */
  restore(session: Session, { since, bytes, missing }: ExportedShards): void {
    const byShards = new Map(missing.map(([shards, indices]) => [shards, new Set(indices)]));
    // If the clock was set back, the session would be kept until the clock reaches that time again, and all later ones with it.
    this.#kept.set(session, { since: Math.min(since, Date.now()), bytes, missing: byShards });
    this.#bytes += bytes;
  }

  /** Stops keeping a session, without freeing it. */
  forget(session: Session): void {
    this.#bytes -= this.#kept.get(session)?.bytes ?? 0;
    this.#kept.delete(session);
  }

  /** Frees sessions over the limits, oldest first. */
  sweep(now = Date.now()): void {
    for (const [session, { since, missing }] of this.#kept) {
      if (session.lifecycle.exporting || now < session.keptUntil) continue;
      const overdue = now - since >= this.#limits.milliseconds;
      if (!overdue && this.#bytes <= this.#limits.bytes) return;
      if (!overdue && missing.size > 0) continue;
      this.forget(session);
      session.free("exported");
    }
  }

  /** Frees sessions without shards that are still to be exported, oldest first, until `isEnough` returns true. */
  freeUntil(isEnough: () => boolean): void {
    for (const [session, { missing }] of this.#kept) {
      if (isEnough()) return;
      if (missing.size > 0 || session.lifecycle.exporting || Date.now() < session.keptUntil) continue;
      this.forget(session);
      session.free("exported");
    }
  }

  #findOrAdd(session: Session, now: number): Kept {
    const known = this.#kept.get(session);
    if (known) return known;
    const kept = { since: now, bytes: session.data.size.native, missing: NONE };
    this.#kept.set(session, kept);
    this.#bytes += kept.bytes;
    return kept;
  }
}

/** Shared by all sessions that are exported as a whole: a batch can have tens of thousands. */
const NONE: Kept["missing"] = new Map();

function noteExported(kept: Kept, part: ExportedShard | undefined): void {
  if (!part || part.shards === 1) return;
  const { shards, shard } = part;
  const others = kept.missing.get(shards) ?? new Set(Array.from({ length: shards }, (_, i) => i));
  others.delete(shard);
  const missing = new Map(kept.missing);
  if (others.size > 0) missing.set(shards, others);
  else missing.delete(shards);
  kept.missing = missing;
}
