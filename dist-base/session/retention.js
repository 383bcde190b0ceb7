/**
 * Keeps the tokens of exported sessions for a while, so that an export whose response was lost can be repeated.
 *
 * It keeps the tree, not the response: the tree is smaller, and the same request packs the same bytes from it. Sessions
 * of a batch that is exported shard by shard are kept, whatever their size, until every shard was exported or the time
 * is over.
 */
export class Retention {
    #limits;
    /** In order of export. */
    #kept = new Map();
    #bytes = 0;
    constructor(limits) {
        this.#limits = limits;
    }
    /** @param part the shard that was exported; absent: the whole batch */
    keep(sessions, part) {
        const now = Date.now();
        for (const session of sessions)
            noteExported(this.#findOrAdd(session, now), part);
        this.sweep(now);
    }
    /** Returns the exports of a session; undefined if the session is not kept. */
    describe(session) {
        const kept = this.#kept.get(session);
        if (!kept)
            return undefined;
        return { ...kept, missing: [...kept.missing].map(([shards, missing]) => [shards, [...missing]]) };
    }
    /** Keeps a session that an earlier process exported. Call it in the order of export. */
    restore(session, { since, bytes, missing }) {
        const byShards = new Map(missing.map(([shards, indices]) => [shards, new Set(indices)]));
        // If the clock was set back, the session would be kept until the clock reaches that time again, and all later ones with it.
        this.#kept.set(session, { since: Math.min(since, Date.now()), bytes, missing: byShards });
        this.#bytes += bytes;
    }
    /** Stops keeping a session, without freeing it. */
    forget(session) {
        this.#bytes -= this.#kept.get(session)?.bytes ?? 0;
        this.#kept.delete(session);
    }
    /** Frees sessions over the limits, oldest first. */
    sweep(now = Date.now()) {
        for (const [session, { since, missing }] of this.#kept) {
            if (session.lifecycle.exporting)
                continue;
            const overdue = now - since >= this.#limits.milliseconds;
            if (!overdue && this.#bytes <= this.#limits.bytes)
                return;
            if (!overdue && missing.size > 0)
                continue;
            this.forget(session);
            session.free("exported");
        }
    }
    /** Frees sessions without shards that are still to be exported, oldest first, until `isEnough` returns true. */
    freeUntil(isEnough) {
        for (const [session, { missing }] of this.#kept) {
            if (isEnough())
                return;
            if (missing.size > 0 || session.lifecycle.exporting)
                continue;
            this.forget(session);
            session.free("exported");
        }
    }
    #findOrAdd(session, now) {
        const known = this.#kept.get(session);
        if (known)
            return known;
        const kept = { since: now, bytes: session.byteLength, missing: NONE };
        this.#kept.set(session, kept);
        this.#bytes += kept.bytes;
        return kept;
    }
}
/** Shared by all sessions that are exported as a whole: a batch can have tens of thousands. */
const NONE = new Map();
function noteExported(kept, part) {
    if (!part || part.shards === 1)
        return;
    const { shards, shard } = part;
    const others = kept.missing.get(shards) ?? new Set(Array.from({ length: shards }, (_, i) => i));
    others.delete(shard);
    const missing = new Map(kept.missing);
    if (others.size > 0)
        missing.set(shards, others);
    else
        missing.delete(shards);
    kept.missing = missing;
}
//# sourceMappingURL=retention.js.map