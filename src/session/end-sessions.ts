import { SessionError } from "./errors.js";
import type { Session } from "./session.js";

/** Selects sessions by their ids, groups and runs. */
export interface SessionSelection {
  readonly sessionIds?: readonly string[] | undefined;
  readonly groupIds?: readonly string[] | undefined;
  readonly runIds?: readonly string[] | undefined;
}

export interface SelectedSessions {
  /** In the order in which they were started. */
  readonly sessions: readonly Session[];
  /** Selected ids that no session has. */
  readonly notFound: readonly string[];
}

/** Finds the selected sessions in any state. A group or run without sessions is no error. */
export function findSelected(all: Iterable<Session>, selection: SessionSelection): SelectedSessions {
  const ids = new Set(selection.sessionIds);
  const groups = new Set<string | undefined>(selection.groupIds);
  const runs = new Set<string | undefined>(selection.runIds);
  const sessions: Session[] = [];
  for (const session of all) {
    const isNamed = ids.delete(session.id);
    if (isNamed || groups.has(session.groupId) || runs.has(session.runId)) sessions.push(session);
  }
  return { sessions, notFound: [...ids] };
}

/**
 * Ends sessions. Those that are no longer active stay as they are.
 *
 * @param abort true: aborts their calls in flight, which are then not recorded, and waits until they have ended. False: the calls continue
 */
export async function endSessions(sessions: readonly Session[], abort: boolean): Promise<void> {
  // All of them before the first abort, so that no agent gets an answer and calls again.
  for (const session of sessions) session.end();
  if (abort) await Promise.all(sessions.map(abortCalls));
}

async function abortCalls(session: Session): Promise<void> {
  if (session.calls.size === 0) return;
  const reason = new SessionError("call_aborted", `Session ${session.id} was ended, and its calls were aborted.`);
  session.count("incompleteCalls", await session.calls.abortAll(reason));
}
