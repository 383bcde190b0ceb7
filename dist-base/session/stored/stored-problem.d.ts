import type { Damage } from "../../storage/index.js";
import type { StoredHead } from "./session-records.js";
/** A damaged part of the folder. */
export interface StoredProblem {
    /** What is damaged, for example `interaction 3 of session math-a1b2-12`. */
    readonly what: string;
    readonly reason: string;
    /** Number of interactions that cannot be restored without it. Default 0. */
    readonly dependents?: number | undefined;
}
/** A session whose head can be read. */
interface KnownSession {
    readonly number: number;
    readonly head: StoredHead;
}
/**
 * Describes a part of the file that cannot be read: names the data that is lost.
 *
 * @param sessions the sessions whose heads can be read
 */
export declare function describeDamage({ table, from, to, reason }: Damage, sessions?: Iterable<KnownSession>): StoredProblem;
/** Returns true if a key of this session, or of one of its records, can be in the range. */
export declare function isInRange(number: number, { from, to }: Pick<Damage, "from" | "to">): boolean;
export {};
