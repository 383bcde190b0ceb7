import { z } from "zod";
import { type BatchOptions } from "../session/batch/batch-options.js";
export declare const SAFETENSORS = "application/vnd.safetensors";
export declare const waitSeconds: z.ZodNumber;
export declare const waitFields: {
    wait_seconds: z.ZodDefault<z.ZodNumber>;
    drain_seconds: z.ZodOptional<z.ZodNumber>;
};
/** The sessions of a batch. {@link refuseDuplicates} checks that no session is named twice. */
export declare const sessionIds: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>;
/** Fields that decide the contents and the layout of a batch. */
export declare const optionFields: {
    style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    discount: z.ZodDefault<z.ZodNumber>;
    concat_reward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    on_mismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    include_undelivered: z.ZodDefault<z.ZodBoolean>;
    models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    exclude_models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    layout: z.ZodDefault<z.ZodEnum<{
        packed: "packed";
        padded: "padded";
        tree: "tree";
    }>>;
    pad_token_id: z.ZodDefault<z.ZodInt32>;
    pad_side: z.ZodDefault<z.ZodEnum<{
        left: "left";
        right: "right";
    }>>;
    pad_to_multiple_of: z.ZodDefault<z.ZodInt32>;
    max_length: z.ZodOptional<z.ZodInt32>;
    overflow: z.ZodDefault<z.ZodEnum<{
        drop: "drop";
        error: "error";
        truncate: "truncate";
    }>>;
    row_tensors: z.ZodDefault<z.ZodBoolean>;
    turns: z.ZodDefault<z.ZodBoolean>;
};
export declare const leaseSeconds: z.ZodDefault<z.ZodNumber>;
export declare const batchBody: z.ZodObject<{
    shards: z.ZodDefault<z.ZodInt32>;
    shard: z.ZodOptional<z.ZodInt32>;
    drop_retry_orphans: z.ZodOptional<z.ZodUnknown>;
    supports_shared_tensor_references: z.ZodOptional<z.ZodUnknown>;
    wait_seconds: z.ZodDefault<z.ZodNumber>;
    drain_seconds: z.ZodOptional<z.ZodNumber>;
    style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    discount: z.ZodDefault<z.ZodNumber>;
    concat_reward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    on_mismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    include_undelivered: z.ZodDefault<z.ZodBoolean>;
    models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    exclude_models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    layout: z.ZodDefault<z.ZodEnum<{
        packed: "packed";
        padded: "padded";
        tree: "tree";
    }>>;
    pad_token_id: z.ZodDefault<z.ZodInt32>;
    pad_side: z.ZodDefault<z.ZodEnum<{
        left: "left";
        right: "right";
    }>>;
    pad_to_multiple_of: z.ZodDefault<z.ZodInt32>;
    max_length: z.ZodOptional<z.ZodInt32>;
    overflow: z.ZodDefault<z.ZodEnum<{
        drop: "drop";
        error: "error";
        truncate: "truncate";
    }>>;
    row_tensors: z.ZodDefault<z.ZodBoolean>;
    turns: z.ZodDefault<z.ZodBoolean>;
    session_ids: z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>;
    transport: z.ZodDefault<z.ZodEnum<{
        body: "body";
        shm: "shm";
    }>>;
    acknowledge: z.ZodDefault<z.ZodBoolean>;
    lease_seconds: z.ZodDefault<z.ZodNumber>;
    reader_pid: z.ZodOptional<z.ZodInt32>;
}, z.core.$strict>;
export type BatchOptionFields = z.output<z.ZodObject<typeof optionFields>>;
export type BatchRequest = z.output<typeof batchBody>;
/** @throws SessionError `invalid_value` if options contradict each other */
export declare function toBatchOptions(body: BatchOptionFields): BatchOptions;
/** @throws ApiError `invalid_value` if a session is named twice */
export declare function refuseDuplicates(ids: readonly string[]): void;
/** Response header with the id of an export. The id is used to settle a prepared export or to acknowledge a batch. */
export declare const EXPORT_ID = "x-rolltape-export-id";
