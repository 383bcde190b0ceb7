import type { Damage, Entry, OfflineStorage } from "../../storage/index.js";
import { DamagedParts } from "./damaged-parts.js";
import { isHeld } from "./held-exports.js";
import { groupBySession, type OfflineSession, readHeads, reasonOf } from "./offline-sessions.js";
import { nameByNumber } from "./read-session.js";
import { openJson } from "./sealed-json.js";
import type { StoredLease } from "./session-records.js";
import { describeDamage, isInRange, type StoredProblem } from "./stored-problem.js";
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
  storage: OfflineStorage,
  onProblem: (problem: StoredProblem) => void,
  onSession: (total: number) => void = () => undefined,
): Verified {
  return new Verification(storage, onProblem).run(onSession);
}

class Verification {
  readonly #storage: OfflineStorage;
  readonly #onProblem: (problem: StoredProblem) => void;
  readonly #damaged = new DamagedParts();
  /** Parts of the file that cannot be read. */
  readonly #lost: Damage[] = [];
  #problems = 0;

  constructor(storage: OfflineStorage, onProblem: (problem: StoredProblem) => void) {
    this.#storage = storage;
    this.#onProblem = onProblem;
  }

  run(onSession: (total: number) => void): Verified {
    this.#storage.checkStructure((damage) => this.#lose(damage));
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
    const onDamage = (damage: Damage) => this.#lose(damage, heads.values());
    for (const group of groupBySession(this.#storage.scan("records", onDamage))) verify(group.number, group.records);
    for (const number of waiting) verify(number, []);
    // A page can be readable here, but damaged in a way that makes LMDB end the process.
    const reason = this.#problems === 0 ? this.#storage.findDamage() : undefined;
    if (reason !== undefined) this.#report({ what: "the file", reason });
    return { sessions: heads.size, records, heldExports: leases.filter(isHeld).length, damaged: this.#damaged };
  }

  #report(problem: StoredProblem): void {
    this.#problems++;
    this.#onProblem(problem);
  }

  #lose(damage: Damage, sessions: Iterable<OfflineSession> = []): void {
    this.#lost.push(damage);
    if (damage.table) this.#damaged.tables.add(damage.table);
    this.#report(describeDamage(damage, sessions));
  }

  #readHeads(): Map<number, OfflineSession> {
    const onHead = (problem: StoredProblem, session?: number) => {
      this.#report(problem);
      if (session !== undefined) this.#damaged.sessions.add(session);
    };
    const heads = readHeads(this.#storage, onHead, (damage) => this.#lose(damage));
    return new Map(heads.map((session) => [session.number, session]));
  }

  #verifySession(number: number, session: OfflineSession | undefined, records: readonly Entry[]): void {
    // Where a part of the file is lost, each session would have a problem for each record that it lacks.
    const isLost = this.#lost.some(
      (damage) =>
        (damage.table === "records" || (damage.table === "sessions" && !session)) && isInRange(number, damage),
    );
    const isKnown = isLost || this.#damaged.sessions.has(number);
    if (isLost) this.#damaged.sessions.add(number);
    if (isKnown) return;
    if (!session) {
      this.#damaged.sessions.add(number);
      return this.#report({
        what: `the head of ${nameByNumber(number)}`,
        reason: "it is missing, but the session has records",
      });
    }
    for (const { what, spare, ...problem } of verifySession(session.head, records)) {
      if (spare) this.#damaged.addEntry("records", spare.key);
      else this.#damaged.sessions.add(number);
      this.#report({ ...problem, what: `${what} of session ${session.head.summary.id}` });
    }
  }

  /** Checks values that are sealed JSON. Returns those that can be read. */
  #verifyValues(table: "meta" | "leases"): unknown[] {
    const values: unknown[] = [];
    for (const { key, value } of this.#storage.scan(table, (damage) => this.#lose(damage))) {
      try {
        values.push(openJson(value));
      } catch (error) {
        this.#damaged.addEntry(table, key);
        const kind = table === "meta" ? "value" : "export";
        this.#report({ what: `${kind} ${key.toString()}`, reason: reasonOf(error) });
      }
    }
    return values;
  }
}
