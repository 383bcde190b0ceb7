import type { Damage, Entry, OfflineStorage } from "../../storage/index.js";
import { runAtOnce } from "../../support/async/steps.js";
import type { Session } from "../session.js";
import { readSessionKey, sessionKey } from "./keys.js";
import { loadSession } from "./load-session.js";
import { readStoredSession } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import type { StoredHead } from "./session-records.js";

/** A session of the folder. */
export interface OfflineSession {
  readonly number: number;
  readonly head: StoredHead;
}

/** A damaged part of the folder. */
export interface StoredProblem {
  /** The damaged record, for example `interaction 3 of session 12`. */
  readonly what: string;
  readonly reason: string;
  /** Number of the damaged session; undefined if the problem concerns something else. */
  readonly session?: number | undefined;
}

/** Reads the heads of all sessions that can be read, in the order in which the sessions started. */
export function readHeads(storage: OfflineStorage, onProblem: (problem: StoredProblem) => void): OfflineSession[] {
  const sessions: OfflineSession[] = [];
  for (const { key, value } of storage.scan("sessions", (damage) => onProblem(describeDamage(damage)))) {
    try {
      sessions.push({ number: readSessionKey(key), head: openJson(value) as StoredHead });
    } catch (error) {
      onProblem({ what: `the head of session ${nameKey(key)}`, reason: reasonOf(error) });
    }
  }
  return sessions;
}

/**
 * Reads the data of a session.
 *
 * @throws StorageError if it is damaged, PageError if the file is damaged there
 */
export function readOffline(storage: OfflineStorage, { number, head }: OfflineSession): Session {
  return loadSession(
    number,
    head,
    runAtOnce(readStoredSession(number, [...storage.range("records", sessionKey(number))])),
  );
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

/** Describes a part of the file that cannot be read: names the data that is lost. */
export function describeDamage({ table, from, to, reason }: Damage): StoredProblem {
  if (table === undefined) return { what: "the file", reason };
  if (table === "meta") return { what: "the values of the server", reason };
  if (table === "leases") return { what: "held exports", reason };
  const what = table === "sessions" ? "heads" : "records";
  return { what: `${what} of ${nameRange(from, to)}`, reason };
}

function nameRange(from: Buffer | undefined, to: Buffer | undefined): string {
  const first = from && nameKey(from);
  const last = to && nameKey(to);
  if (first !== undefined && first === last) return `session ${first}`;
  if (first === undefined && last === undefined) return "all sessions";
  if (first === undefined) return `sessions up to ${last}`;
  return last === undefined ? `sessions from ${first}` : `sessions ${first} to ${last}`;
}

function nameKey(key: Buffer): string {
  return key.length < sessionKey(0).length ? `with key ${key.toString("hex")}` : String(readSessionKey(key));
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
