import type { Session } from "../session.js";
import { type ExportSummary } from "./batch-metadata.js";
import { type TrajectoryOptions } from "./batch-options.js";
export interface TrajectoriesOptions extends TrajectoryOptions {
    /** Adds `messages` and `output_message_list`, which are untrusted text. */
    readonly includeMessages: boolean;
    /** Name of the model, as answers report it. */
    readonly model?: string | undefined;
    /** Receives counts of what the export leaves out, after planning and before packing. */
    readonly onPlanned?: (summary: ExportSummary) => void;
}
/**
 * Exports one session as JSON: its interactions with their tensors in base64, in the format of AReaL's proxy client.
 * The text is assembled in native memory, off the event loop.
 */
export declare function packTrajectories(session: Session, options: TrajectoriesOptions): Promise<Buffer>;
