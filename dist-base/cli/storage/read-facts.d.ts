import { z } from "zod";
import type { BatchOrigin } from "../../session/batch/batch-metadata.js";
import { type StorageReader } from "../../storage/index.js";
declare const identitySchema: z.ZodObject<{
    format: z.ZodInt;
    workerTag: z.ZodString;
    modelDigest: z.ZodString;
}, z.core.$strip>;
/** Facts about a server that are stored in its folder. Undefined if missing or damaged. */
export interface ServerFacts {
    readonly identity: z.output<typeof identitySchema> | undefined;
    readonly origin: BatchOrigin | undefined;
    readonly capacity: number | undefined;
    readonly weightVersion: number | undefined;
}
/** @throws StorageError `storage_unusable` if this build cannot read the records */
export declare function readServerFacts(reader: StorageReader, directory: string): ServerFacts;
export {};
