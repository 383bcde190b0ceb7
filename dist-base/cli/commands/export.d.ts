import type { ExportOptions } from "../storage/export-options.js";
/** `rolltape export`: writes the sessions that a server left in its storage folder to a file. */
export declare function exportSessions(options: ExportOptions): Promise<void>;
