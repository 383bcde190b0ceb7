import { z } from "zod";
import type { Header } from "../../support/safetensors/read-header.js";
/** Files of earlier versions have no task_id and no group_id. */
declare const rowsSchema: z.ZodArray<z.ZodObject<{
    session_id: z.ZodString;
    task_id: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    group_id: z.ZodDefault<z.ZodNullable<z.ZodString>>;
    interaction_id: z.ZodString;
    length: z.ZodInt;
}, z.core.$strip>>;
/** A row of a batch, or a node of a tree batch, as the metadata lists it. */
export type BatchRow = z.output<typeof rowsSchema>[number];
/** The rows of a batch by session and interaction. Ids of interactions are unique within their session only. */
export declare class BatchRows {
    #private;
    readonly all: readonly BatchRow[];
    constructor(header: Header);
    /** Ids of the sessions, in the order of their first rows. */
    sessions(): Iterable<string>;
    /** Returns the indices of a session's rows. */
    ofSession(id: string): readonly number[];
    /** Returns the index of an interaction's row; undefined if there is none. */
    find(sessionId: string, interactionId: string): number | undefined;
}
/** Returns the rows that the metadata lists; none if the file is not a batch of Rolltape. */
export declare function readRows({ metadata }: Header): readonly BatchRow[];
export {};
