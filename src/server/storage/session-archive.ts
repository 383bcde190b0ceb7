import type { FastifyBaseLogger } from "fastify";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import type { Session } from "../../session/session.js";
import type { SessionFacts } from "../../session/session-events.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { DamagedSessionError } from "../../session/stored/damaged-session-error.js";
import { writeSessions } from "../../session/stored/file/write-sessions.js";
import type { Outbox } from "../../storage/archive/outbox.js";
import { createDeferred } from "../../support/async/deferred.js";
import { sleep } from "../../support/async/sleep.js";

/** The parts of a server that its archive reads. */
export interface ArchivedServer {
  readonly registry: SessionRegistry;
  readonly outbox: Pick<Outbox, "write" | "hasRoom">;
  /** Describes the server in each file. */
  readonly origin: BatchOrigin;
  readonly logger: Pick<FastifyBaseLogger, "error" | "warn">;
  /** See {@link SETTLE_MS}. */
  readonly settleMilliseconds?: number;
}

/** Time without a change after which a session is written. Rewards and the delivery of the last answer often follow its end. */
const SETTLE_MS = 1000;
/** Time for which a session that is not written yet is kept after its last export. */
const KEEP_MS = 60_000;
/** Pause while the outbox has no room, or after the disk refused a file. */
const RETRY_MS = 5000;

interface Pending {
  readonly session: Session;
  /** When it last changed, by `performance.now()`. */
  changedAt: number;
  /** Counts the changes. */
  changes: number;
}

/**
 * Writes each session that has ended to the outbox of the archive, as a sessions file with one session, and again if it changes later. A
 * session that is deleted or freed before that is not archived.
 *
 * One session at a time is read and written. Calls and exports never wait for it.
 */
export class SessionArchive {
  readonly #server: ArchivedServer;
  readonly #pending = new Map<Session, Pending>();
  readonly #stopping = new AbortController();
  readonly #settleMilliseconds: number;
  readonly #loop: Promise<void>;
  #wake = createDeferred<void>();
  readonly #flushing = new AbortController();
  #lost = 0;

  constructor(server: ArchivedServer) {
    const { registry, settleMilliseconds = SETTLE_MS } = server;
    this.#server = server;
    this.#settleMilliseconds = settleMilliseconds;
    registry.events.on("over", this.#note).on("changed", this.#note).on("reward", this.#note);
    for (const session of registry.all()) if (!session.archived) this.#add(session);
    this.#loop = this.#run();
  }

  /** Number of ended sessions that are not in the outbox yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Number of ended sessions that were freed before they were written. */
  get lost(): number {
    return this.#lost;
  }

  /** Writes pending sessions at once. Resolves when there are none, or when the signal aborts. */
  async flush(signal: AbortSignal): Promise<void> {
    this.#flushing.abort();
    this.#signal();
    while (this.#pending.size > 0 && !signal.aborted) await sleep(20, signal).catch(() => undefined);
  }

  /** Stops. Sessions that are pending are written after the next start. */
  async close(): Promise<void> {
    const { events } = this.#server.registry;
    events.off("over", this.#note).off("changed", this.#note).off("reward", this.#note);
    this.#flushing.abort();
    this.#stopping.abort();
    this.#signal();
    await this.#loop;
  }

  readonly #note = ({ id }: SessionFacts): void => {
    const session = this.#server.registry.get(id);
    if (session.state === "active") return;
    this.#server.registry.setArchived(session, false);
    this.#add(session);
  };

  #add(session: Session): void {
    if (!isArchivable(session)) return;
    const known = this.#pending.get(session);
    if (!known) session.keptUntil = Date.now() + KEEP_MS;
    // At the end: the map is in the order of the last changes.
    this.#pending.delete(session);
    this.#pending.set(session, { session, changedAt: performance.now(), changes: (known?.changes ?? 0) + 1 });
    this.#signal();
  }

  #signal(): void {
    this.#wake.resolve();
    this.#wake = createDeferred();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const [next] = this.#pending.values();
      if (!next) {
        await this.#wake.promise;
        continue;
      }
      const wait = next.changedAt + this.#settleMilliseconds - performance.now();
      if (wait > 0 && !this.#flushing.signal.aborted) await this.#pause(wait, this.#flushing.signal);
      else await this.#write(next);
    }
  }

  async #write(pending: Pending): Promise<void> {
    const { session } = pending;
    const { outbox, logger, registry } = this.#server;
    try {
      if (!isArchivable(session)) return this.#drop(session);
      // Calls in flight of an ended session may still be recorded.
      if (session.calls.size > 0 || session.lifecycle.exporting) return await this.#postpone(pending);
      if (!(await outbox.hasRoom())) return await this.#pause(RETRY_MS);
      const { changes } = pending;
      const isUnchanged = () => this.#pending.get(session)?.changes === changes && isArchivable(session);
      if (!(await outbox.write("sessions", fileName(session), this.#encode(session), isUnchanged))) return;
      if (!isUnchanged()) return;
      registry.setArchived(session, true);
      this.#forget(session);
    } catch (error) {
      if (!isArchivable(session)) return this.#drop(session);
      if (error instanceof DamagedSessionError) {
        logger.error({ session: session.id, reason: error.message }, "a damaged session cannot be archived");
        this.#forget(session);
        this.#lost++;
        return;
      }
      logger.warn({ session: session.id, reason: String(error) }, "a session could not be written for the archive");
      await this.#pause(RETRY_MS);
    }
  }

  async *#encode(session: Session): AsyncGenerator<Uint8Array> {
    await this.#server.registry.wake(session);
    session.data.hold();
    try {
      for await (const chunk of writeSessions([session], this.#server.origin, { asEnded: true })) {
        // The rest could not be read.
        if (!isArchivable(session)) throw new Error("the session was freed");
        yield chunk;
      }
    } finally {
      session.data.release();
    }
  }

  /** Puts a session behind the others. */
  async #postpone(pending: Pending): Promise<void> {
    this.#pending.delete(pending.session);
    this.#pending.set(pending.session, { ...pending, changedAt: performance.now() });
    await this.#pause(POSTPONE_MS);
  }

  #drop(session: Session): void {
    // A deleted session is not wanted, one that was exported is missed.
    if (session.state === "exported") this.#lost++;
    this.#forget(session);
  }

  #forget(session: Session): void {
    session.keptUntil = 0;
    this.#pending.delete(session);
  }

  async #pause(milliseconds: number, until = this.#stopping.signal): Promise<void> {
    await sleep(milliseconds, until).catch(() => undefined);
  }
}

const POSTPONE_MS = 50;

/** Returns true if a session has ended and still has its data. */
function isArchivable({ state, lifecycle, interactionCount }: Session): boolean {
  return (state === "ended" || state === "exported") && !lifecycle.freed && interactionCount > 0;
}

/** Digits of the numbers of sessions in names: 6 bytes. */
const NUMBER_DIGITS = 15;

/** Returns the name of a session's file. Names are in the order in which the sessions of a server started. */
const fileName = ({ number = 0, id }: Session): string =>
  `${String(number).padStart(NUMBER_DIGITS, "0")}-${id}.sessions`;
