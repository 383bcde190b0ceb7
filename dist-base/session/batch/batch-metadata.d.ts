import type { LeftOutReason } from "../delivery.js";
import type { BatchOptions } from "./batch-options.js";
import type { ExportPlan } from "./plan.js";
/** The `__metadata__` of a safetensors header: text values, JSON if a value has structure. */
export type BatchMetadata = Readonly<Record<string, string>>;
/** Metadata that a server adds to its batches. The library's store has no server and does not add it. */
export interface BatchOrigin {
    /** Name of the model. */
    readonly model: string;
    /** SHA-256 of the checksums of tokenizer and chat template. Batches with the same digest agree in their token ids. */
    readonly modelDigest: string;
    /** The configuration that decides what is recorded. */
    readonly config: Readonly<Record<string, unknown>>;
}
/** Most unrewarded conversation trees that the metadata names. The native core has the same limit. */
export declare const MAX_NAMED_ROOTS = 8;
/** Most rows with uncounted rewards that the metadata lists. The row column `uncounted_rewards` has all of them. */
export declare const MAX_NAMED_ROWS = 64;
/**
 * Returns the metadata that is the same in all shards of a batch. `rows` and `uncounted_rewards` are not part of it.
 */
export declare function batchMetadata(plan: ExportPlan, options: BatchOptions, origin: BatchOrigin | undefined): BatchMetadata;
/**
 * Returns the metadata `uncounted_rewards` of one file: the rows whose reward leaves out own rewards of earlier turns.
 */
export declare function uncountedRewards({ native: { rows } }: ExportPlan): BatchMetadata;
/** Counts of the rewards and interactions that an export does not contain. */
export interface ExportSummary {
    /** Conversation trees in which nothing has a reward. */
    readonly unrewardedRoots: number;
    /** Rows whose reward leaves out own rewards of earlier turns. */
    readonly uncountedRewardRows: number;
    /** Interactions that are left out, by reason. */
    readonly leftOut: Readonly<Record<LeftOutReason, number>>;
}
export declare function summarize(plan: ExportPlan): ExportSummary;
interface NamedRoot {
    readonly session_id: string;
    readonly interaction_id: string;
}
/** Returns the number of conversation trees without any reward, and the roots of the first ones. */
export declare function unrewardedRoots({ native, sessions }: ExportPlan): {
    count: number;
    first: NamedRoot[];
};
/** Returns how many interactions the export leaves out, by reason. */
export declare function countReasons({ leftOut }: ExportPlan): Record<LeftOutReason, number>;
export {};
