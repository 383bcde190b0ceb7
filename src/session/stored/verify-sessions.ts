import type { Damage, Entry, StorageReader } from "../../storage/index.js";
import { DamagedParts } from "./damaged-parts.js";
import { readSessionKey } from "./keys.js";
import { groupBySession, type OfflineSession, readHeads, reasonOf } from "./offline-sessions.js";
import { nameByNumber } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import { isHeld, type StoredLease } from "./session-records.js";
import { describeStoredDamage, type StoredProblem } from "./stored-problem.js";
import { verifySession } from "./verify-session.js";

/** Counts of the records that were read. */
export interface Verified {
  readonly sessions: number;
  readonly records: number;
  readonly heldExports: number;
  readonly damaged: DamagedParts;
}

/**
 * Reads every record of a folder, checks every checksum, and restores every session as a server would.
 *
 * @param onSession called after each session, with the number of sessions
 */
export function verifySessions(
  storage: StorageReader,
  onProblem: (problem: StoredProblem) => void,
  onSession: (total: number) => void = () => undefined,
): Verified {
  return new Verification(storage, onProblem).run(onSession);
}

class Verification {
  readonly #storage: StorageReader;
  readonly #onProblem: (problem: StoredProblem) => void;
  readonly #damaged = new DamagedParts();

  constructor(storage: StorageReader, onProblem: (problem: StoredProblem) => void) {
    this.#storage = storage;
    this.#onProblem = onProblem;
  }

  run(onSession: (total: number) => void): Verified {
    this.#storage.checkRecords((damage) => this.#reportDamage(damage));
    this.#verifyValues("meta");
    const leases = this.#verifyValues("leases") as StoredLease[];
    const heads = this.#readHeads();
    const waiting = new Set(heads.keys());
    let records = 0;
    const verify = (number: number, found: readonly Entry[]) => {
      records += found.length;
      waiting.delete(number);
      this.#verifySession(number, heads.get(number), found);
      onSession(heads.size);
    };
    const nameSession = (number: number) => {
      const id = heads.get(number)?.head.summary.id;
      return id === undefined ? nameByNumber(number) : `session ${id}`;
    };
    const onDamage = (damage: Damage) => this.#reportDamage(damage, nameSession);
    for (const group of groupBySession(this.#storage.scan("records", onDamage))) verify(group.number, group.records);
    for (const number of waiting) verify(number, []);
    return { sessions: heads.size, records, heldExports: leases.filter(isHeld).length, damaged: this.#damaged };
  }

  #reportDamage(damage: Damage, nameSession?: (number: number) => string): void {
    const { table, key } = damage;
    if (!table || !key) this.#damaged.hasUnknown = true;
    else if (table === "meta" || table === "leases") this.#damaged.addEntry(table, key);
    else this.#damaged.sessions.add(readSessionKey(key));
    this.#onProblem(describeStoredDamage(damage, nameSession));
  }

  #readHeads(): Map<number, OfflineSession> {
    const onHead = (problem: StoredProblem, session?: number) => {
      this.#onProblem(problem);
      if (session !== undefined) this.#damaged.sessions.add(session);
    };
    const heads = readHeads(this.#storage, onHead, (damage) => this.#reportDamage(damage));
    return new Map(heads.map((session) => [session.number, session]));
  }

  #verifySession(number: number, session: OfflineSession | undefined, records: readonly Entry[]): void {
    // The session is reported already. Its other records would add a problem for each one that depends on the damage.
    if (this.#damaged.sessions.has(number)) return;
    if (!session) {
      this.#damaged.sessions.add(number);
      return this.#onProblem({
        what: `the head of ${nameByNumber(number)}`,
        reason: "it is missing, but the session has records",
      });
    }
    for (const { what, spare, ...problem } of verifySession(session.head, records)) {
      if (spare) this.#damaged.addEntry("records", spare.key);
      else this.#damaged.sessions.add(number);
      this.#onProblem({ ...problem, what: `${what} of session ${session.head.summary.id}` });
    }
  }

  /** Checks values that are sealed JSON. Returns those that can be read. */
  #verifyValues(table: "meta" | "leases"): unknown[] {
    const values: unknown[] = [];
    for (const { key, value } of this.#storage.scan(table, (damage) => this.#reportDamage(damage))) {
      try {
        values.push(openJson(value));
      } catch (error) {
        this.#damaged.addEntry(table, key);
        const kind = table === "meta" ? "value" : "export";
        this.#onProblem({ what: `${kind} ${key.toString()}`, reason: reasonOf(error) });
      }
    }
    return values;
  }
}
