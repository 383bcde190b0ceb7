import type { BatchFields } from "../../client/admin-client.js";
import type { BatchFileError } from "./batch-file.js";
import { BatchWriter } from "./batch-writer.js";
import type { JobSetup } from "./job-setup.js";
import type { BatchExportError } from "./survivors.js";
/** Creates the writer of a job's batches from the job's options. */
export declare function createBatchWriter({ config, options }: JobSetup, signal: AbortSignal, tell: (message: string) => void): BatchWriter;
export interface UnwrittenBatch {
    readonly sessionIds: readonly string[];
    readonly fields: BatchFields;
}
/** Describes a batch that no folder accepted, and how to export its sessions again if a proxy outlives the job. */
export declare function describeUnwritten({ message, file }: BatchFileError, { proxy, options }: Pick<JobSetup, "proxy" | "options">, { sessionIds, fields }: UnwrittenBatch): string;
/** Describes a batch that the proxy did not export, and how to export its sessions if the proxy outlives the job. */
export declare function describeUnexported({ message, sessionIds }: BatchExportError, { proxy, options }: Pick<JobSetup, "proxy" | "options">, { fields, file }: {
    readonly fields: BatchFields;
    readonly file: string;
}): string;
