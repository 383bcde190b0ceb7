import { SessionError } from "./errors.js";
import type { SessionRegistry } from "./registry.js";
import type { ExportedShard } from "./retention.js";
import type { Session } from "./session.js";

export interface ExportWaits {
  /** How long to wait for sessions that are still active. */
  readonly waitMilliseconds: number;
  /** How long to wait for calls in flight of ended sessions before they are aborted. */
  readonly drainMilliseconds: number;
  /** Ends the waiting early: the asker has gone. */
  readonly signal?: AbortSignal;
}

/** A packed export that has taken no session yet: rewards of its sessions wait until it is settled. */
export interface PreparedExport<T> {
  readonly packed: T;
  /** Once: takes the sessions, or leaves them as they were. */
  readonly settle: (outcome: "taken" | "left") => void;
}

/** More refused sessions than this are not named one by one. */
const MAX_NAMED = 1000;

/**
 * Exports sessions of a registry: waits until they may be, packs, and only then takes them from their agents for good.
 * A packing that fails leaves every session as it was.
 */
export class Exporter {
  readonly #registry: SessionRegistry;

  constructor(registry: SessionRegistry) {
    this.#registry = registry;
  }

  /** One session; its refusal is thrown as it is. */
  async one<T>(id: string, waits: ExportWaits, pack: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#registry.get(id);
    await session.lifecycle.waitEnd(waits.waitMilliseconds, waits.signal);
    throwIfRefused(session);
    await drain(session, waits);
    throwIfRefused(session);
    return taken(await this.#prepare([session], () => pack(session)));
  }

  /** All of these sessions or none; the error names each that cannot be exported, and why. */
  async all<T>(
    ids: readonly string[],
    waits: ExportWaits,
    pack: (sessions: Session[]) => Promise<T>,
    part?: ExportedShard,
  ): Promise<T> {
    return taken(await this.prepare(ids, waits, pack, part));
  }

  /** As {@link all}, for an asker who says later whether the export came about. */
  async prepare<T>(
    ids: readonly string[],
    waits: ExportWaits,
    pack: (sessions: Session[]) => Promise<T>,
    part?: ExportedShard,
  ): Promise<PreparedExport<T>> {
    const sessions = await this.ready(ids, waits);
    await Promise.all(sessions.map((session) => drain(session, waits)));
    // While one drained, another may have expired.
    const late = refusalsOf(sessions);
    if (late.length > 0) throw batchRefusal(late);
    return this.#prepare(sessions, () => pack(sessions), part);
  }

  /** Waits until all of these sessions can be exported, and answers them; refuses as {@link all} does. Changes nothing. */
  async ready(ids: readonly string[], waits: ExportWaits): Promise<Session[]> {
    const sessions: Session[] = [];
    const refused: Refusal[] = [];
    for (const id of ids) {
      try {
        sessions.push(this.#registry.get(id));
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        refused.push({ id, error });
      }
    }
    if (refused.length === 0)
      await Promise.all(sessions.map((s) => s.lifecycle.waitEnd(waits.waitMilliseconds, waits.signal)));
    const refusals = refused.concat(refusalsOf(sessions));
    if (refusals.length > 0) throw batchRefusal(refusals);
    return sessions;
  }

  async #prepare<T>(
    sessions: readonly Session[],
    pack: () => Promise<T>,
    part?: ExportedShard,
  ): Promise<PreparedExport<T>> {
    const settle = (outcome: "taken" | "left") => {
      for (const session of sessions) session.lifecycle.endExport(outcome === "taken");
      if (outcome === "taken") this.#registry.seal(sessions, part);
    };
    for (const session of sessions) session.lifecycle.beginExport();
    try {
      return { packed: await pack(), settle };
    } catch (error) {
      settle("left");
      throw error;
    }
  }
}

function taken<T>({ packed, settle }: PreparedExport<T>): T {
  settle("taken");
  return packed;
}

interface Refusal {
  readonly id: string;
  readonly error: SessionError;
}

function throwIfRefused(session: Session): void {
  const refusal = refusalOf(session);
  if (refusal) throw refusal;
}

function refusalsOf(sessions: readonly Session[]): Refusal[] {
  return sessions.flatMap((session) => {
    const error = refusalOf(session);
    return error ? [{ id: session.id, error }] : [];
  });
}

function refusalOf(session: Session): SessionError | undefined {
  if (session.state === "active") {
    return new SessionError("session_active", `Session ${session.id} is active. End it first, or give wait_seconds.`);
  }
  if (session.state === "expired") {
    const message = `Session ${session.id} saw no call for too long, or was deleted: its data was freed.`;
    return new SessionError("session_expired", message);
  }
  if (session.lifecycle.freed) {
    return new SessionError("session_exported", `Session ${session.id} was exported and is no longer retained.`);
  }
  return undefined;
}

async function drain(session: Session, { drainMilliseconds }: ExportWaits): Promise<void> {
  if (await session.calls.waitIdle(drainMilliseconds)) return;
  const reason = new SessionError("call_aborted", `Session ${session.id} is being exported: this call came too late.`);
  const aborted = await session.calls.abortAll(reason);
  session.incompleteCalls += aborted;
}

/** Where all have the same reason, that is the error's code; else `batch_not_exportable`. */
function batchRefusal(refused: readonly Refusal[]): SessionError {
  const named = refused.slice(0, MAX_NAMED);
  const sessions = named.map(({ id, error }) => ({ session_id: id, code: error.code, message: error.message }));
  const [first] = refused;
  const codes = new Set(refused.map(({ error }) => error.code));
  return new SessionError(
    codes.size === 1 && first ? first.error.code : "batch_not_exportable",
    `No session was exported, because ${refused.length} cannot be. The first: ${first?.error.message ?? ""}`,
    { param: "session_ids", details: { sessions } },
  );
}
