import type { PreparedExport } from "./exporter.js";
import type { ExportOutcome } from "./lifecycle.js";
/**
 * Exports that were packed and sent, but are not settled yet.
 *
 * A gateway joins the parts of several servers into one batch. Only when it has every part does it tell the servers to
 * seal their sessions. An export that is not settled in time leaves its sessions as they were.
 */
export declare class PreparedExports {
    #private;
    /** Number of exports that are not settled yet. */
    get size(): number;
    /** Keeps the export for up to `milliseconds`. Returns the id by which to settle it. */
    hold(prepared: PreparedExport<unknown>, milliseconds: number): string;
    /** Settles an export and returns it. Returns undefined if no export with this id is pending. */
    settle(id: string, outcome: ExportOutcome): PreparedExport<unknown> | undefined;
    /** Settles every export without sealing its sessions. */
    close(): void;
}
