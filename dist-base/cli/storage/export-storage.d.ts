import type { StoredProblem } from "../../session/stored/stored-problem.js";
import { type ExportOptions } from "./export-options.js";
/** The result of an export. */
export interface StorageExport {
    readonly sessions: number;
    readonly rows: number;
    readonly bytes: number;
    /** Damaged records, which the export leaves out. */
    readonly problems: readonly StoredProblem[];
}
/**
 * Writes the sessions of a folder to a file, as a server with that folder would export them. Changes nothing in the folder. Sessions
 * that cannot be read are left out.
 *
 * @throws StorageCommandError if there is nothing to export, or the options do not fit the sessions
 */
export declare function exportStorage(options: ExportOptions): Promise<StorageExport>;
