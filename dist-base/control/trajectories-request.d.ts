import { z } from "zod";
import { type TrajectoryOptions } from "../session/batch/batch-options.js";
export declare const trajectoriesBody: z.ZodObject<{
    drop_retry_orphans: z.ZodOptional<z.ZodUnknown>;
    supports_shared_tensor_references: z.ZodOptional<z.ZodUnknown>;
    wait_seconds: z.ZodDefault<z.ZodNumber>;
    drain_seconds: z.ZodOptional<z.ZodNumber>;
    session_id: z.ZodString;
    style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    discount: z.ZodDefault<z.ZodNumber>;
    concat_reward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    include_undelivered: z.ZodDefault<z.ZodBoolean>;
    on_mismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    exclude_models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    format: z.ZodDefault<z.ZodEnum<{
        json: "json";
        safetensors: "safetensors";
    }>>;
    include: z.ZodDefault<z.ZodArray<z.ZodEnum<{
        messages: "messages";
    }>>>;
}, z.core.$strict>;
/** @throws SessionError `invalid_value` if options contradict each other */
export declare function toTrajectoryOptions(body: z.output<typeof trajectoriesBody>): TrajectoryOptions;
