import type { NativePlan, PlanRows } from "../../native/contract.js";
import type { Steps } from "../../support/async/steps.js";
import type { LeftOutInteraction } from "../delivery.js";
import type { Interaction } from "../interaction.js";
import type { Session } from "../session.js";
import type { BatchOptions } from "./batch-options.js";
import { SessionCounts } from "./session-counts.js";
/** A planned export: the native plan and the sessions that its rows come from. */
export interface ExportPlan {
    readonly native: NativePlan;
    readonly sessions: readonly Session[];
    /** The interactions that are left out, by session. Empty with `includeUndelivered`. */
    readonly leftOut: readonly (readonly LeftOutInteraction[])[];
    /** Returns true if `models`, `excludeModels` or `tags` remove an interaction. Undefined without these options. */
    readonly removes: ((interaction: Interaction) => boolean) | undefined;
    readonly counts: SessionCounts;
}
export interface ExportRow {
    readonly owner: Session;
    readonly record: Interaction;
    /** Tokens of the row, after truncation. */
    readonly length: number;
    /** After discount, in float64. */
    readonly reward: number;
}
/**
 * Plans an export. Each session is read in one step, so the plan has one consistent state of it, whatever happens between the steps.
 * No session may be freed until the steps are over: see {@link Lifecycle.exporting}.
 *
 * @param labelLimit maximum number of distinct labels per column
 * @throws SessionError `concat_mismatch`, `max_length_exceeded` or `reward_overflow`, with the rows or sessions at
 * fault
 */
export declare function planExport(sessions: readonly Session[], options: BatchOptions, labelLimit?: number): Steps<ExportPlan>;
/**
 * Splits a plan by rows into `count` plans with nearly equal numbers of tokens.
 *
 * @throws SessionError `too_few_rows` if one of them would be empty
 */
export declare function planShards(plan: ExportPlan, count: number): ExportPlan[];
export declare function listExportRows({ native: { rows }, sessions }: ExportPlan): ExportRow[];
/** Returns the session that a row comes from. */
export declare function findOwner(rows: PlanRows, sessions: readonly Session[], index: number): Session;
