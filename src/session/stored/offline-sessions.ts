import type { Entry, ReportDamage, StorageReader } from "../../storage/index.js";
import { runAtOnce } from "../../support/async/steps.js";
import type { Session } from "../session.js";
import { ToolLists } from "../tool-lists.js";
import { DamagedSessionError, describeDamage as describeSessionDamage } from "./damaged-session-error.js";
import { readSessionKey, sessionKey } from "./keys.js";
import { loadSession } from "./load-session.js";
import { nameByNumber, readStoredSession, type StoredSession } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import type { StoredHead } from "./session-records.js";
import { describeStoredDamage, type StoredProblem } from "./stored-problem.js";
import { readToolList } from "./tool-records.js";

/** A session of the folder. */
export interface OfflineSession {
  readonly number: number;
  readonly head: StoredHead;
}

/**
 * Reads the heads of all sessions that can be read, in the order in which the sessions started.
 *
 * @param onProblem called with each head that is damaged, and the number of its session
 * @param onDamage called with each part of the storage that cannot be read. Default: reports it to `onProblem`
 */
export function readHeads(
  storage: StorageReader,
  onProblem: (problem: StoredProblem, session?: number) => void,
  onDamage: ReportDamage = (damage) => onProblem(describeStoredDamage(damage)),
): OfflineSession[] {
  const sessions: OfflineSession[] = [];
  for (const { key, value } of storage.scan("sessions", onDamage)) {
    const number = readSessionKey(key);
    try {
      sessions.push({ number, head: openJson(value) as StoredHead });
    } catch (error) {
      onProblem({ what: `the head of ${nameByNumber(number)}`, reason: reasonOf(error) }, number);
    }
  }
  return sessions;
}

/**
 * Reads the data of a session, without the tools of its calls.
 *
 * @throws DamagedSessionError if it is damaged, DamagedValueError if the log is damaged there
 */
export function readOffline(storage: StorageReader, session: OfflineSession): Session {
  return loadSession(session.head, readStored(storage, session));
}

/** Like {@link readOffline}, with the tools. */
export function readWithTools(storage: StorageReader, session: OfflineSession): Session {
  const stored = readStored(storage, session);
  const toolLists = new ToolLists();
  for (const { toolsKey: key } of stored.interactions.map(({ facts }) => facts)) {
    const text = key === "" || toolLists.get(key) ? undefined : readToolList(storage, key);
    if (text !== undefined) toolLists.acquire(key, () => ({ key, text }));
  }
  return loadSession(session.head, stored, { toolLists });
}

function readStored(storage: StorageReader, { number, head }: OfflineSession): StoredSession {
  const records = [...storage.range("records", sessionKey(number))];
  return runAtOnce(readStoredSession(head.summary.id, records));
}

/** Groups records, which come in the order of their keys, by session. */
export function* groupBySession(records: Iterable<Entry>): Generator<{ number: number; records: Entry[] }> {
  let group: { number: number; records: Entry[] } | undefined;
  for (const record of records) {
    const number = readSessionKey(record.key);
    if (group && group.number !== number) {
      yield group;
      group = undefined;
    }
    group ??= { number, records: [] };
    group.records.push(record);
  }
  if (group) yield group;
}

/** Returns the reason of a damage, without the session that has it. */
export function reasonOf(error: unknown): string {
  if (error instanceof DamagedSessionError) return describeSessionDamage(error.damage);
  return error instanceof Error ? error.message : String(error);
}
