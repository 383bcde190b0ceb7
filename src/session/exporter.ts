import { SessionError } from "./errors.js";
import type { SessionRegistry } from "./registry.js";
import type { Session } from "./session.js";

export interface ExportWaits {
  /** How long to wait for sessions that are still active. */
  readonly waitMilliseconds: number;
  /** How long to wait for calls in flight of ended sessions before they are aborted. */
  readonly drainMilliseconds: number;
  /** Ends the waiting early: the asker has gone. */
  readonly signal?: AbortSignal;
}

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
    await session.waitEnd(waits.waitMilliseconds, waits.signal);
    const refusal = refusalOf(session);
    if (refusal) throw refusal;
    return this.#export([session], waits, () => pack(session));
  }

  /** All of these sessions or none; the error names each that cannot be exported, and why. */
  async all<T>(ids: readonly string[], waits: ExportWaits, pack: (sessions: Session[]) => Promise<T>): Promise<T> {
    const sessions: Session[] = [];
    const refused: { id: string; error: SessionError }[] = [];
    for (const id of ids) {
      try {
        sessions.push(this.#registry.get(id));
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        refused.push({ id, error });
      }
    }
    if (refused.length === 0) await Promise.all(sessions.map((s) => s.waitEnd(waits.waitMilliseconds, waits.signal)));
    for (const session of sessions) {
      const error = refusalOf(session);
      if (error) refused.push({ id: session.id, error });
    }
    if (refused.length > 0) throw batchRefusal(refused);
    return this.#export(sessions, waits, () => pack(sessions));
  }

  async #export<T>(sessions: readonly Session[], waits: ExportWaits, pack: () => Promise<T>): Promise<T> {
    await Promise.all(sessions.map((session) => drain(session, waits)));
    for (const session of sessions) session.beginExport();
    try {
      const packed = await pack();
      this.#registry.seal(sessions);
      return packed;
    } catch (error) {
      for (const session of sessions) session.cancelExport();
      throw error;
    }
  }
}

function refusalOf(session: Session): SessionError | undefined {
  if (session.state === "active") {
    return new SessionError("session_active", `Session ${session.id} is active. End it first, or give wait_seconds.`);
  }
  if (session.state === "expired") {
    return new SessionError("session_expired", `Session ${session.id} saw no call for too long: its data was freed.`);
  }
  if (session.freed) {
    return new SessionError("session_exported", `Session ${session.id} was exported and is no longer retained.`);
  }
  return undefined;
}

async function drain(session: Session, { drainMilliseconds }: ExportWaits): Promise<void> {
  if (await session.calls.waitIdle(drainMilliseconds)) return;
  const reason = new SessionError("call_aborted", `Session ${session.id} is being exported: this call came too late.`);
  session.incompleteCalls += await session.calls.abortAll(reason);
}

function batchRefusal(refused: readonly { id: string; error: SessionError }[]): SessionError {
  const sessions = refused.map(({ id, error }) => ({ session_id: id, code: error.code, message: error.message }));
  const [first] = refused;
  const codes = new Set(sessions.map((session) => session.code));
  return new SessionError(
    "batch_not_exportable",
    `No session was exported, because ${refused.length} cannot be. The first: ${first?.error.message ?? ""}`,
    { param: "session_ids", details: { sessions, reasons: [...codes] } },
  );
}
