import type { FastifyBaseLogger } from "fastify";
import { finishAnswers, waitForAnswers, waitWhile } from "../http/connections/finish-answers.js";
import { type CutAnswer, listCut } from "../http/connections/http-answer.js";
import { SessionError } from "../session/errors.js";
import type { Session } from "../session/session.js";
import type { ServerServices } from "./services.js";
import type { LostChanges } from "./storage/lost-changes.js";

const MAX_LOGGED = 20;

/** Time in which the answers of aborted calls may still be sent. */
const ABORT_GRACE_MS = 2_000;

/** Describes what was lost when the server stopped. */
export interface StopReport {
  /** Calls that were still in flight. */
  readonly abortedCalls: number;
  /** Ids of the sessions with interactions that were not exported, whose export was cut, or whose last changes were not stored. */
  readonly lostSessions: readonly string[];
  readonly cutAnswers: readonly CutAnswer[];
  /** Number of groups of changes that the storage refused until the end. */
  readonly lostChanges: number;
  /** False if an answer was cut, an ended session was not exported, or a change was not stored. */
  readonly complete: boolean;
}

/**
 * Stops accepting sessions and model calls. Waits for calls in flight, for exports of ended sessions and for answers that are
 * being sent, for up to `shutdownSeconds`. Then aborts the remaining calls, cuts the remaining answers, and logs what was lost.
 */
export async function drain(context: ServerServices, logger: FastifyBaseLogger): Promise<StopReport> {
  const { connections, registry, settings, shutdown } = context;
  context.draining = true;
  connections.closeSoon();
  const deadline = Date.now() + settings.shutdownSeconds * 1000;
  const waiting = { ...countWaiting(context), openAnswers: connections.openAnswers };
  if (hasAny(waiting))
    logger.info({ ...waiting, shutdownSeconds: settings.shutdownSeconds }, "the stop waits for what is not finished");
  await waitWhile(() => hasAny(countWaiting(context)), deadline);
  await waitForAnswers(connections, deadline);

  shutdown.abort();
  const reason = new SessionError("call_aborted", "The server is shutting down.");
  const sessions = [...registry.all()];
  const aborted = await Promise.all(sessions.map((session) => session.calls.abortAll(reason)));
  const abortedCalls = aborted.reduce((sum, count) => sum + count, 0);
  const cutAnswers = await finishAnswers(connections, Date.now() + ABORT_GRACE_MS);
  const unexported = context.storage ? [] : sessions.filter(isUnexported);
  const report = createReport(abortedCalls, unexported, cutAnswers);
  logLosses(report, logger);
  return report;
}

/** Counts what the stop waits for: calls in flight, and sessions that were not exported or whose export was not acknowledged. */
function countWaiting({ registry, storage }: ServerServices) {
  const waiting = { calls: 0, unexportedSessions: 0, unacknowledgedSessions: 0 };
  for (const { calls, interactionCount, lifecycle } of registry.all()) {
    waiting.calls += calls.size;
    // Stored sessions can be exported after the next start.
    if (storage || interactionCount === 0) continue;
    if (lifecycle.held) waiting.unacknowledgedSessions++;
    else if (lifecycle.state === "ended") waiting.unexportedSessions++;
  }
  return waiting;
}

const hasAny = (counts: Readonly<Record<string, number>>): boolean => Object.values(counts).some((count) => count > 0);

function isUnexported({ interactionCount, lifecycle: { state, held } }: Session): boolean {
  return interactionCount > 0 && (state === "active" || state === "ended" || held);
}

function createReport(abortedCalls: number, unexported: readonly Session[], cutAnswers: CutAnswer[]): StopReport {
  const exportsCut = cutAnswers.flatMap(({ sessions }) => sessions);
  const lostSessions = [...new Set([...unexported.map(({ id }) => id), ...exportsCut])];
  const complete = cutAnswers.length === 0 && unexported.every(({ state }) => state === "active");
  return { abortedCalls, lostSessions, cutAnswers, lostChanges: 0, complete };
}

/** Adds what the storage refused, which is known only once it is closed. */
export function addLostChanges(report: StopReport, { changes, sessions }: LostChanges): StopReport {
  const lostSessions = [...new Set([...report.lostSessions, ...sessions])];
  return { ...report, lostSessions, lostChanges: changes, complete: false };
}

function logLosses({ abortedCalls, lostSessions, cutAnswers }: StopReport, logger: FastifyBaseLogger): void {
  if (abortedCalls === 0 && lostSessions.length === 0 && cutAnswers.length === 0) return;
  const counts = { abortedCalls, lostSessions: lostSessions.length, ids: lostSessions.slice(0, MAX_LOGGED) };
  if (cutAnswers.length === 0)
    logger.warn(counts, "server stopped with sessions that were not exported, or whose export was not acknowledged");
  else logger.error({ ...counts, cutAnswers: listCut(cutAnswers) }, "server stopped before all answers were sent");
}
