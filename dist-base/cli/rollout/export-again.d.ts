import type { BatchFields } from "../../client/admin-client.js";
export interface ExportAgain {
    /** Address of the proxy that has the sessions. */
    readonly url: string;
    readonly sessionIds: readonly string[];
    readonly fields: BatchFields;
    readonly file: string;
}
/** Returns a shell command that exports these sessions again. */
export declare function writeExportCommand({ url, sessionIds, fields, file }: ExportAgain): string;
