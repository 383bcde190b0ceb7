import { eventLoop } from "../../support/async/event-loop.js";
import { Slices } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import { SessionError } from "../errors.js";
import type { ExportOutcome } from "../lifecycle.js";
import type { Session } from "../session.js";
import type { SessionRegistry } from "../session-registry.js";
import type { Split } from "../session-summary.js";
import { DamagedSessionError } from "../stored/damaged-session-error.js";
import type { ExportedShard } from "./retention.js";

export interface ExportRules {
  /** The export refuses other sessions. Default: `train` */
  readonly split?: Split | undefined;
  /** How long to wait for sessions that are still active. */
  readonly waitMilliseconds: number;
  /** How long to wait for calls in flight of ended sessions before they are aborted. */
  readonly drainMilliseconds: number;
  /** Ends the wait early, because the client has disconnected. */
  readonly signal?: AbortSignal;
}

/** A packed export whose sessions are not sealed yet. They accept no calls and no rewards until it is settled. */
export interface PreparedExport<T> {
  readonly packed: T;
  readonly sessions: readonly Session[];
  /** Seals the sessions (`taken`, `held`), or leaves them as they were (`left`). Call it once. */
  readonly settle: (outcome: ExportOutcome) => void;
}

/** Adds to the data of sessions that are being exported. Rejects if the signal aborts; no session is exported then. */
export type CompleteSessions = (sessions: readonly Session[], signal: AbortSignal | undefined) => Promise<void>;

/** Maximum number of sessions that one export reads at the same time. More would delay calls that also wait for a read. */
const WAKES_AT_ONCE = 4;
/** Maximum number of refused sessions that an error lists. */
const MAX_NAMED = 1000;

/**
 * Exports sessions in three steps: wait until they are exportable, pack them, then seal them.
 *
 * Sealing revokes the session's key and starts retention. If packing fails, no session is sealed.
 */
export class Exporter {
  readonly #registry: SessionRegistry;
  readonly #complete: CompleteSessions | undefined;

  /** @param complete adds to the data of sessions before they are packed */
  constructor(registry: SessionRegistry, complete?: CompleteSessions) {
    this.#registry = registry;
    this.#complete = complete;
  }

  /** Exports one session. Throws the error of that session if it cannot be exported. */
  async one<T>(id: string, rules: ExportRules, pack: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#registry.get(id);
    // Before the wait, because a session never changes its split.
    throwIf(findWrongSplit(session, rules));
    await session.lifecycle.waitEnd(rules.waitMilliseconds, rules.signal);
    throwIfRefused(session);
    await drain(session, rules);
    throwIfRefused(session);
    const refuse = (refused: Refusals) => refused[0].error;
    const { signal } = rules;
    return settleAsTaken(await this.#prepare([session], () => pack(session), { refuse, signal }));
  }

  /**
   * Packs all of these sessions or none. The caller decides later whether they are sealed.
   *
   * @param pack receives the slices of the event loop in which the work before it ran
   * @throws SessionError that lists each session that cannot be exported, with the reason
   */
  async prepare<T>(
    ids: readonly string[],
    rules: ExportRules,
    pack: (sessions: Session[], slices: Slices) => Promise<T>,
    part?: ExportedShard,
  ): Promise<PreparedExport<T>> {
    const slices = new Slices();
    const sessions = await this.ready(ids, rules, slices);
    // Most sessions of a large batch have no calls in flight, and each promise costs time on the event loop.
    const busy = await slices.run(select(sessions, ({ calls }) => calls.size > 0));
    await Promise.all(busy.map((session) => drain(session, rules)));
    return this.#prepare(sessions, () => pack(sessions, slices), {
      refuse: batchRefusal,
      part,
      slices,
      signal: rules.signal,
    });
  }

  /** Waits until all of these sessions can be exported, and returns them. Throws like {@link prepare}. Changes nothing. */
  async ready(ids: readonly string[], rules: ExportRules, slices = new Slices()): Promise<Session[]> {
    const { sessions, refused } = await slices.run(this.#find(ids, rules));
    const active = refused.length > 0 ? [] : await slices.run(select(sessions, ({ state }) => state === "active"));
    await Promise.all(active.map((s) => s.lifecycle.waitEnd(rules.waitMilliseconds, rules.signal)));
    const refusals = refused.concat(await slices.run(findRefusals(sessions)));
    if (areRefusals(refusals)) throw batchRefusal(refusals, ids.length);
    return sessions;
  }

  *#find(ids: readonly string[], rules: ExportRules): Steps<{ sessions: Session[]; refused: Refusal[] }> {
    const sessions: Session[] = [];
    const refused: Refusal[] = [];
    for (const id of ids) {
      try {
        const session = this.#registry.get(id);
        throwIf(findWrongSplit(session, rules));
        sessions.push(session);
      } catch (error) {
        if (!(error instanceof SessionError)) throw error;
        refused.push({ id, error });
      }
      yield;
    }
    return { sessions, refused };
  }

  async #prepare<T>(
    sessions: readonly Session[],
    pack: () => Promise<T>,
    { refuse, part, signal, slices = new Slices() }: PrepareOptions,
  ): Promise<PreparedExport<T>> {
    const begun: Session[] = [];
    // Not in slices: what is saved in one iteration of the event loop is one group on disk, so a crash cannot leave a batch half sealed.
    const settle = (outcome: ExportOutcome) => {
      for (const session of begun) session.endExport(outcome);
      if (outcome === "taken") this.#registry.seal(sessions, part);
      if (outcome === "held") this.#registry.revokeKeys(sessions);
    };
    try {
      // While one session drained or was found, another may have expired.
      const refused = await slices.run(beginExports(sessions, begun));
      if (areRefusals(refused)) throw refuse(refused, sessions.length);
      const unloaded = await slices.run(select(sessions, ({ isLoaded }) => !isLoaded));
      const damaged = await this.#wake(unloaded);
      if (areRefusals(damaged)) throw refuse(damaged, sessions.length);
      await this.#complete?.(sessions, signal);
      return { packed: await pack(), sessions, settle };
    } catch (error) {
      settle("left");
      throw error;
    }
  }

  /**
   * Reads the data of sessions that are on disk only, {@link WAKES_AT_ONCE} at a time. Other requests run in between. Returns the
   * damaged sessions, so that an error can name all of them.
   */
  async #wake(unloaded: readonly Session[]): Promise<Refusal[]> {
    const damaged: Refusal[] = [];
    const wake = async (session: Session) => {
      try {
        await this.#registry.wake(session);
      } catch (error) {
        if (!(error instanceof DamagedSessionError)) throw error;
        damaged.push({ id: session.id, error });
      }
    };
    for (let start = 0; start < unloaded.length; start += WAKES_AT_ONCE) {
      await Promise.all(unloaded.slice(start, start + WAKES_AT_ONCE).map(wake));
      await eventLoop.yield();
    }
    return damaged;
  }
}

function settleAsTaken<T>({ packed, settle }: PreparedExport<T>): T {
  settle("taken");
  return packed;
}

interface Refusal {
  readonly id: string;
  readonly error: SessionError;
}

interface PrepareOptions {
  readonly refuse: Refuse;
  readonly part?: ExportedShard | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly slices?: Slices;
}

/** At least one refusal. */
type Refusals = readonly [Refusal, ...Refusal[]];

/** Returns the error of an export of `total` sessions. */
type Refuse = (refused: Refusals, total: number) => SessionError;

function areRefusals(refused: readonly Refusal[]): refused is Refusals {
  return refused.length > 0;
}

function throwIfRefused(session: Session): void {
  const refusal = findRefusal(session);
  if (refusal) throw refusal;
}

/** Returns the sessions for which `isSelected` is true. In steps, because a session that was not used recently is in no cache of the processor. */
function* select(sessions: readonly Session[], isSelected: (session: Session) => boolean): Steps<Session[]> {
  const selected: Session[] = [];
  for (const session of sessions) {
    if (isSelected(session)) selected.push(session);
    yield;
  }
  return selected;
}

function* findRefusals(sessions: readonly Session[]): Steps<Refusal[]> {
  const refused: Refusal[] = [];
  for (const session of sessions) {
    const error = findRefusal(session);
    if (error) refused.push({ id: session.id, error });
    yield;
  }
  return refused;
}

/**
 * Begins the export of each session that can be exported, and adds it to `begun`. From then on it accepts no calls and no rewards,
 * and is not freed. Returns the other sessions.
 */
function* beginExports(sessions: readonly Session[], begun: Session[]): Steps<Refusal[]> {
  const refused: Refusal[] = [];
  for (const session of sessions) {
    const error = findRefusal(session);
    if (error) refused.push({ id: session.id, error });
    else {
      session.lifecycle.beginExport();
      begun.push(session);
    }
    yield;
  }
  return refused;
}

/** Returns the error for a session of the other split; undefined if the export takes it. */
function findWrongSplit(session: Session, { split = "train" }: ExportRules): SessionError | undefined {
  if (session.split === split) return undefined;
  const message =
    session.split === "eval"
      ? `Session ${session.id} is an evaluation session, which an export of training sessions refuses. Set \`split\` to \`eval\` to export evaluation sessions.`
      : `Session ${session.id} is a training session, which an export with \`split\` \`eval\` refuses. Leave out \`split\` to export training sessions.`;
  return new SessionError("wrong_split", message, { param: "split" });
}

function throwIf(error: SessionError | undefined): void {
  if (error) throw error;
}

/** Returns why a session cannot be exported; undefined if it can. */
function findRefusal(session: Session): SessionError | undefined {
  if (session.state === "active") {
    return new SessionError("session_active", `Session ${session.id} is active. End it first, or set wait_seconds.`);
  }
  if (session.state === "expired") {
    const message = `Session ${session.id} expired or was deleted, and its data was freed.`;
    return new SessionError("session_expired", message);
  }
  if (session.lifecycle.freed) {
    return new SessionError("session_exported", `Session ${session.id} was exported and is no longer retained.`);
  }
  if (session.lifecycle.acknowledged) {
    return new SessionError("session_exported", `Session ${session.id} was exported, and its export was acknowledged.`);
  }
  return undefined;
}

async function drain(session: Session, { drainMilliseconds }: ExportRules): Promise<void> {
  if (await session.calls.waitIdle(drainMilliseconds)) return;
  const message = `Session ${session.id} is being exported and accepts no more model calls.`;
  const reason = new SessionError("call_aborted", message);
  session.count("incompleteCalls", await session.calls.abortAll(reason));
}

/**
 * Returns the error of a batch. Its code is that of the sessions if they all have the same code, else
 * `batch_not_exportable`.
 */
function batchRefusal(refused: Refusals, total: number): SessionError {
  const named = refused.slice(0, MAX_NAMED);
  const sessions = named.map(({ id, error }) => ({ session_id: id, code: error.code, message: error.message }));
  const [first] = refused;
  const codes = new Set(refused.map(({ error }) => error.code));
  return new SessionError(
    codes.size === 1 ? first.error.code : "batch_not_exportable",
    `${refused.length} of ${total} sessions cannot be exported, so none was. First: ${first.error.message}`,
    { param: "session_ids", details: { sessions } },
  );
}
