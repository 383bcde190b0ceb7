import type { Damage } from "../../storage/index.js";
import { readSessionKey } from "./keys.js";
import { nameByNumber, nameRecord } from "./read-session.js";

/** A damaged part of the folder. */
export interface StoredProblem {
  /** The damaged part, for example `interaction 3 of session math-a1b2-12`. */
  readonly what: string;
  readonly reason: string;
  /** Number of interactions that cannot be restored without it. Default 0. */
  readonly dependents?: number | undefined;
}

/**
 * Describes a part of the storage that cannot be read: names the data that is lost.
 *
 * @param nameSession names a session by its number. Default: its id is unknown
 */
export function describeStoredDamage(
  { table, key, reason }: Damage,
  nameSession: (number: number) => string = nameByNumber,
): StoredProblem {
  if (table === undefined || !key) return { what: "the log", reason };
  if (table === "meta") return { what: `value ${key.toString()}`, reason };
  if (table === "leases") return { what: `export ${key.toString()}`, reason };
  const session = nameSession(readSessionKey(key));
  return { what: table === "sessions" ? `the head of ${session}` : `${nameRecord(key)} of ${session}`, reason };
}
