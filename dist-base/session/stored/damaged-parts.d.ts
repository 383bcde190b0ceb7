import type { Table } from "../../storage/index.js";
/** The parts of a damaged folder that a copy leaves out: whole sessions, and single entries that nothing depends on. */
export declare class DamagedParts {
    #private;
    /** Numbers of the damaged sessions. */
    readonly sessions: Set<number>;
    /** Tables with a part that cannot be read. */
    readonly tables: Set<"leases" | "log" | "meta" | "records" | "sessions">;
    addEntry(table: Table, key: Buffer): void;
    isIntact(table: Table, key: Buffer): boolean;
}
