import type { Session } from "../session.js";
import type { SessionRegistry } from "../session-registry.js";
import type { SessionRecords } from "../stored/session-records.js";
import type { ExportedShard } from "./retention.js";
import { isAlive } from "./shared-exports.js";

export interface ExportLeaseOptions {
  /** Time in which the export must be acknowledged. */
  readonly milliseconds: number;
  /** Process id of the reader on this machine, if given. The lease ends when this process ends. */
  readonly readerPid?: number | undefined;
  /** The part of a batch that was exported. Absent: the whole batch. */
  readonly part?: ExportedShard | undefined;
  /** Identifies the export. */
  readonly id: string;
}

/** The methods of a registry that leases need. */
type LeasedSessions = Pick<SessionRegistry, "seal" | "byNumber" | "numberOf" | "all">;

interface Lease {
  readonly sessions: readonly Session[];
  readonly part: ExportedShard;
  readonly expiresAt: number;
  readonly readerPid: number | undefined;
  acknowledged: boolean;
  /** True if its time is over. If it was acknowledged in time, this still counts while another shard can be acknowledged. */
  over: boolean;
}

/** `ended`: the lease ended before the acknowledgement, and its sessions can be exported again. */
export type Acknowledgement = "acknowledged" | "ended" | "unknown";

const WHOLE: ExportedShard = { shards: 1, shard: 0 };

/** Maximum number of ended leases that are remembered. */
const MAX_ENDED = 10_000;

/**
 * The leases of exports that readers must acknowledge. Until then, the sessions are held, whatever the limits of retention.
 *
 * - If an export is acknowledged, its sessions are freed. A session of several shards is freed once all shards are acknowledged.
 * - If the export is made final without an acknowledgement, its sessions are retained.
 * - If the last lease of a session ends first, the session is `ended` again and can be exported.
 *
 * If an export was repeated because its answer was lost, it is enough to acknowledge one of the two.
 */
export class ExportLeases {
  readonly #registry: LeasedSessions;
  readonly #records: SessionRecords | undefined;
  readonly #leases = new Map<string, Lease>();
  readonly #bySession = new Map<Session, Set<Lease>>();
  readonly #ended = new Set<string>();

  /** @param records where leases are stored, also those of an earlier process. Absent: leases end with the process */
  constructor(registry: LeasedSessions, records?: SessionRecords) {
    this.#registry = registry;
    this.#records = records;
    const stored = [...(records?.readLeases() ?? [])];
    for (const [id, { sessions, ...lease }] of stored.toSorted(([, a], [, b]) => a.expiresAt - b.expiresAt)) {
      if (lease.over) {
        this.#ended.add(id);
        continue;
      }
      const found = sessions.flatMap((number) => registry.byNumber(number) ?? []);
      this.#add(id, { ...lease, sessions: found });
    }
    if (records) this.#reopenOrphans();
  }

  /** Makes held sessions without a lease `ended` again. A lease is lost if its record was damaged. */
  #reopenOrphans(): void {
    for (const session of this.#registry.all()) {
      if (!this.#bySession.has(session) && session.lifecycle.reopen()) session.touch();
    }
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Begins a lease for an export of these sessions. */
  grant(sessions: readonly Session[], { milliseconds, readerPid, part = WHOLE, id }: ExportLeaseOptions): void {
    const lease: Lease = {
      sessions,
      part,
      expiresAt: Date.now() + milliseconds,
      readerPid,
      acknowledged: false,
      over: false,
    };
    this.#add(id, lease);
    this.#save(id, lease);
  }

  /** Frees the sessions of an export, except those with shards that are not acknowledged yet. */
  acknowledge(id: string, now = Date.now()): Acknowledgement {
    // Ends leases by their time, not by the last sweep: the workers of a gateway must agree about a batch.
    this.reap(now);
    const lease = this.#leases.get(id);
    if (!lease || lease.acknowledged) return this.#ended.has(id) ? "ended" : "unknown";
    lease.acknowledged = true;
    for (const session of lease.sessions) {
      if (!this.#isComplete(session, lease.part)) continue;
      this.#bySession.delete(session);
      if (session.lifecycle.held) this.#release(session);
    }
    // The lease of a shard stays until its time is over, because the other shards may never be acknowledged.
    if (lease.part.shards === 1) this.#remove(id);
    else this.#save(id, lease);
    return "acknowledged";
  }

  /** Makes an export final without an acknowledgement: its sessions are retained. Returns false if there is no lease with this id. */
  take(id: string): boolean {
    const lease = this.#leases.get(id);
    if (!lease) return false;
    this.#remove(id);
    lease.over = true;
    for (const session of lease.sessions) this.#unlink(session, lease);
    const sessions = lease.sessions.filter(({ lifecycle }) => !lifecycle.freed);
    for (const session of sessions) session.lifecycle.take();
    this.#registry.seal(sessions, lease.part);
    return true;
  }

  /** Ends a lease whose answer was not delivered. Returns false if there is none with this id. */
  withdraw(id: string): boolean {
    const lease = this.#leases.get(id);
    if (!lease) return false;
    this.#end(id, lease);
    return true;
  }

  /** Ends leases whose time is over, and leases whose reader's process has ended. */
  reap(now = Date.now()): void {
    for (const [id, lease] of this.#leases) {
      const { expiresAt, readerPid, acknowledged } = lease;
      const isAbandoned = !acknowledged && readerPid !== undefined && !isAlive(readerPid);
      if (now < expiresAt && !isAbandoned) continue;
      // Another export of the same sessions may have been acknowledged.
      const hasHeld = lease.sessions.some(({ lifecycle }) => lifecycle.held);
      this.#end(id, lease);
      if (!acknowledged && hasHeld) this.#rememberEnded(id, lease);
    }
  }

  /** Returns true if every shard of the batch was acknowledged. */
  #isComplete(session: Session, { shards }: ExportedShard): boolean {
    const leases = [...(this.#bySession.get(session) ?? [])];
    const acknowledged = leases.filter(({ part, acknowledged }) => acknowledged && part.shards === shards);
    return new Set(acknowledged.map(({ part }) => part.shard)).size === shards;
  }

  /** Frees the session. If another export of it is being packed, or the archive reads it, retention frees it later. */
  #release(session: Session): void {
    if (!session.lifecycle.exporting && Date.now() >= session.keptUntil) return session.free("exported");
    session.lifecycle.acknowledge();
    this.#registry.seal([session]);
  }

  #add(id: string, lease: Lease): void {
    // A gateway grants a lease again if it did not hear that it was granted.
    const former = this.#leases.get(id);
    for (const session of former?.sessions ?? []) if (former) this.#bySession.get(session)?.delete(former);
    this.#leases.set(id, lease);
    for (const session of lease.sessions) {
      const leases = this.#bySession.get(session) ?? new Set();
      this.#bySession.set(session, leases.add(lease));
    }
  }

  #save(id: string, { sessions, ...lease }: Lease): void {
    const numbers = sessions.flatMap((session) => this.#registry.numberOf(session) ?? []);
    this.#records?.saveLease(id, { ...lease, sessions: numbers });
  }

  #remove(id: string): void {
    this.#leases.delete(id);
    this.#records?.removeLease(id);
  }

  #end(id: string, lease: Lease): void {
    this.#remove(id);
    lease.over = true;
    for (const session of lease.sessions) {
      // From now on, the session expires like any other session that waits for its export.
      if (this.#unlink(session, lease) && session.lifecycle.reopen()) session.touch();
    }
  }

  /** Forgets a lease of a session that is over, if it was not acknowledged. Returns true if none of its leases counts any more. */
  #unlink(session: Session, lease: Lease): boolean {
    const leases = this.#bySession.get(session);
    if (!lease.acknowledged) leases?.delete(lease);
    if (!leases || [...leases].some(({ over }) => !over)) return false;
    return this.#bySession.delete(session);
  }

  /** Also on disk: after a restart, a late acknowledgement must not look like a repeated one, whose batch may be used. */
  #rememberEnded(id: string, lease: Lease): void {
    this.#ended.add(id);
    this.#save(id, { ...lease, sessions: [] });
    const [oldest] = this.#ended;
    if (this.#ended.size <= MAX_ENDED || oldest === undefined) return;
    this.#ended.delete(oldest);
    this.#records?.removeLease(oldest);
  }
}
