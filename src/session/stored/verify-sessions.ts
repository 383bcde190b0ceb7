import type { Entry, OfflineStorage } from "../../storage/index.js";
import { loadSession } from "./load-session.js";
import {
  describeDamage,
  groupBySession,
  type OfflineSession,
  readHeads,
  reasonOf,
  type StoredProblem,
} from "./offline-sessions.js";
import { nameRecord, RecordList } from "./read-session.js";
import { openJson } from "./sealed-json.js";

type Report = (problem: StoredProblem) => void;

/** Counts of the records that were read. */
export interface Verified {
  readonly sessions: number;
  readonly records: number;
  readonly leases: number;
}

/**
 * Reads every record of a folder, checks every checksum, and restores every session as a server would.
 *
 * @param onSession called after each session, with the number of sessions
 */
export function verifySessions(
  storage: OfflineStorage,
  onProblem: Report,
  onSession: (total: number) => void = () => undefined,
): Verified {
  let problems = 0;
  const report: Report = (problem) => {
    problems++;
    onProblem(problem);
  };
  storage.checkStructure((damage) => report(describeDamage(damage)));
  verifyValues(storage, "meta", report);
  const leases = verifyValues(storage, "leases", report);
  const heads = new Map(readHeads(storage, report).map((session) => [session.number, session]));
  const waiting = new Set(heads.keys());
  let records = 0;
  const onDamage = (damage: Parameters<typeof describeDamage>[0]) => report(describeDamage(damage));
  for (const group of groupBySession(storage.scan("records", onDamage))) {
    records += group.records.length;
    waiting.delete(group.number);
    verifySession(group.number, heads.get(group.number), group.records, report);
    onSession(heads.size);
  }
  for (const number of waiting) {
    verifySession(number, heads.get(number), [], report);
    onSession(heads.size);
  }
  // A page can be readable here, but damaged in a way that makes LMDB end the process.
  const reason = problems === 0 ? storage.findDamage() : undefined;
  if (reason !== undefined) report({ what: "the file", reason });
  return { sessions: heads.size, records, leases };
}

function verifySession(
  number: number,
  session: OfflineSession | undefined,
  records: readonly Entry[],
  report: Report,
): void {
  const list = new RecordList();
  let isIntact = true;
  const fail = (what: string, error: unknown) => {
    isIntact = false;
    report({ what: `${what} of session ${number}`, reason: reasonOf(error), session: number });
  };
  for (const record of records) {
    try {
      list.add(record);
      // Its content concerns the API only. It is JSON with a checksum.
      if (nameRecord(record.key).startsWith("response")) openJson(record.value);
    } catch (error) {
      fail(nameRecord(record.key), error);
    }
  }
  if (!session) return fail("the head", "it is missing, but the session has records");
  if (!isIntact || session.head.summary.freed) return;
  try {
    loadSession(number, session.head, list.read()).unload();
  } catch (error) {
    fail("the data", error instanceof Error ? (error.cause ?? error) : error);
  }
}

/** Checks values that are sealed JSON. Returns how many there are. */
function verifyValues(storage: OfflineStorage, table: "meta" | "leases", report: Report): number {
  let count = 0;
  for (const { key, value } of storage.scan(table, (damage) => report(describeDamage(damage)))) {
    count++;
    try {
      openJson(value);
    } catch (error) {
      const kind = table === "meta" ? "value" : "held export";
      report({ what: `${kind} ${key.toString()}`, reason: reasonOf(error) });
    }
  }
  return count;
}
