import { z } from "zod";
/** The options of an export with their ranges and defaults. The library and the HTTP routes share them. */
export declare const exportFields: {
    readonly models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly excludeModels: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    readonly style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    readonly discount: z.ZodDefault<z.ZodNumber>;
    readonly concatReward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    readonly onMismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    readonly includeUndelivered: z.ZodDefault<z.ZodBoolean>;
};
export declare const batchFields: {
    readonly models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly excludeModels: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    readonly roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    readonly style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    readonly discount: z.ZodDefault<z.ZodNumber>;
    readonly concatReward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    readonly onMismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    readonly includeUndelivered: z.ZodDefault<z.ZodBoolean>;
    readonly layout: z.ZodDefault<z.ZodEnum<{
        packed: "packed";
        padded: "padded";
        tree: "tree";
    }>>;
    readonly padTokenId: z.ZodDefault<z.ZodInt32>;
    readonly padSide: z.ZodDefault<z.ZodEnum<{
        left: "left";
        right: "right";
    }>>;
    readonly padToMultipleOf: z.ZodDefault<z.ZodInt32>;
    readonly maxLength: z.ZodOptional<z.ZodInt32>;
    readonly overflow: z.ZodDefault<z.ZodEnum<{
        drop: "drop";
        error: "error";
        truncate: "truncate";
    }>>;
    readonly rowTensors: z.ZodDefault<z.ZodBoolean>;
    readonly turns: z.ZodDefault<z.ZodBoolean>;
};
export declare const shardFields: {
    readonly shards: z.ZodDefault<z.ZodInt32>;
    readonly shard: z.ZodOptional<z.ZodInt32>;
};
export declare const batchOptionsSchema: z.ZodObject<{
    models: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    excludeModels: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    tags: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<string[], unknown[]>>>;
    roots: z.ZodDefault<z.ZodEnum<{
        all: "all";
        rewarded: "rewarded";
    }>>;
    style: z.ZodDefault<z.ZodEnum<{
        concat: "concat";
        individual: "individual";
    }>>;
    discount: z.ZodDefault<z.ZodNumber>;
    concatReward: z.ZodDefault<z.ZodEnum<{
        leaf: "leaf";
        return: "return";
    }>>;
    onMismatch: z.ZodDefault<z.ZodEnum<{
        error: "error";
        split: "split";
    }>>;
    includeUndelivered: z.ZodDefault<z.ZodBoolean>;
    layout: z.ZodDefault<z.ZodEnum<{
        packed: "packed";
        padded: "padded";
        tree: "tree";
    }>>;
    padTokenId: z.ZodDefault<z.ZodInt32>;
    padSide: z.ZodDefault<z.ZodEnum<{
        left: "left";
        right: "right";
    }>>;
    padToMultipleOf: z.ZodDefault<z.ZodInt32>;
    maxLength: z.ZodOptional<z.ZodInt32>;
    overflow: z.ZodDefault<z.ZodEnum<{
        drop: "drop";
        error: "error";
        truncate: "truncate";
    }>>;
    rowTensors: z.ZodDefault<z.ZodBoolean>;
    turns: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strict>;
export type BatchOptions = z.output<typeof batchOptionsSchema>;
export type BatchOptionsInput = z.input<typeof batchOptionsSchema>;
export type TrajectoryOptions = Pick<BatchOptions, keyof typeof exportFields>;
