import { z } from "zod";
/** An entry of `rows` in the metadata: a row of a batch, or a node of a tree. */
export interface Row {
    readonly session_id: string;
    readonly task_id: string;
    readonly group_id: string | null;
    readonly interaction_id: string;
    readonly length: number;
    readonly agent_id?: string | undefined;
    readonly parent_agent_id?: string | undefined;
    readonly turn_id?: string | undefined;
}
/** One worker's part of a batch: its metadata, and views of its tensors in the received bytes. */
export interface Part {
    readonly metadata: Metadata;
    readonly rows: readonly Row[];
    readonly tensors: ReadonlyMap<string, PartTensor>;
}
export interface PartTensor {
    readonly dtype: BatchDtype;
    readonly bytes: Uint8Array;
}
/** The element types of a batch. */
export type BatchDtype = "I32" | "F32" | "BOOL";
declare const metadataSchema: z.ZodObject<{
    style: z.ZodString;
    discount: z.ZodString;
    rewards_missing: z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodArray<z.ZodString>>;
    incomplete_calls: z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodRecord<z.ZodString, z.ZodInt>>;
    aborted_calls: z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodRecord<z.ZodString, z.ZodInt>>;
    filters: z.ZodOptional<z.ZodString>;
    filtered: z.ZodOptional<z.ZodCoercedNumber<unknown>>;
    rewards_filtered: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodArray<z.ZodString>>>;
    rows: z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodArray<z.ZodObject<{
        session_id: z.ZodString;
        task_id: z.ZodString;
        group_id: z.ZodNullable<z.ZodString>;
        interaction_id: z.ZodString;
        length: z.ZodInt;
        agent_id: z.ZodOptional<z.ZodString>;
        parent_agent_id: z.ZodOptional<z.ZodString>;
        turn_id: z.ZodOptional<z.ZodString>;
    }, z.core.$strip>>>;
    version: z.ZodOptional<z.ZodString>;
    model: z.ZodOptional<z.ZodString>;
    model_digest: z.ZodOptional<z.ZodString>;
    config: z.ZodOptional<z.ZodString>;
    concat_reward: z.ZodOptional<z.ZodString>;
    unrewarded_roots: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodObject<{
        count: z.ZodInt;
        first: z.ZodArray<z.ZodObject<{
            session_id: z.ZodString;
            interaction_id: z.ZodString;
        }, z.core.$strip>>;
    }, z.core.$strip>>>;
    left_out: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodObject<{
        undelivered: z.ZodInt;
        retried: z.ZodInt;
    }, z.core.$strip>>>;
    uncounted_rewards: z.ZodOptional<z.ZodString>;
    row_codes: z.ZodOptional<z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<unknown, string>>, z.ZodRecord<z.ZodString, z.ZodArray<z.ZodString>>>>;
}, z.core.$strip>;
type Metadata = Omit<z.output<typeof metadataSchema>, "rows">;
/**
 * Reads a safetensors file (docs/reference/batch-format.md) without copying its tensors.
 *
 * @throws {@link ApiError} `invalid_worker_reply` if the bytes are not a batch
 */
export declare function readPart(file: Uint8Array): Part;
/** Returns the int32 values of a part's tensor, as a view. */
export declare function readInt32(part: Part, name: string): Int32Array;
/** @throws {@link ApiError} `invalid_worker_reply` if the part has no such tensor */
export declare function requireTensor({ tensors }: Part, name: string): PartTensor;
export {};
