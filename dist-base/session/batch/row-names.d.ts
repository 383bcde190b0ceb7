import type { Steps } from "../../support/async/steps.js";
import type { AgentHints } from "../interaction.js";
import { type ExportPlan } from "./plan.js";
/** The text metadata of a batch's rows. */
export interface RowNames {
    /** The interaction id of each row. */
    readonly interactionIds: readonly string[];
    /** By row: hints of the agent program. Most programs send none. */
    readonly hints: ReadonlyMap<number, AgentHints>;
}
/** Reads the names of a plan's rows. No session may be freed until the steps are over. */
export declare function readRowNames({ native: { rows }, sessions }: ExportPlan): Steps<RowNames>;
/**
 * Returns the metadata `rows` as UTF-8 in pieces: JSON with session_id, task_id, group_id, interaction_id and length of each row,
 * and the ids that the agent program sent.
 *
 * The fields that all rows of a session share are serialized once per session. The pieces are not joined, because that would stall
 * the event loop.
 */
export declare function writeRowsJson({ native: { rows }, sessions }: ExportPlan, { interactionIds, hints }: RowNames): Steps<Uint8Array[]>;
