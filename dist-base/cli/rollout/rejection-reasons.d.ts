import type { Rejection } from "../../rollout/rejection.js";
/** A rejected episode, with its task. */
export interface RejectedTaskEpisode {
    readonly taskId: string;
    readonly sessionId: string | undefined;
    readonly reason: Rejection;
}
/** Episodes that were rejected for the same reason. */
export interface ReasonGroup {
    count: number;
    /** The first of them. */
    readonly example: RejectedTaskEpisode;
}
/**
 * Groups rejected episodes by code, class of the error and last line: of the standard error if the agent's process
 * failed and wrote any, else of the message.
 */
export declare class RejectionReasons {
    #private;
    add(rejected: RejectedTaskEpisode): void;
    get size(): number;
    /**
     * Returns lines for the summary: each reason with its count, first task and place in the agent, the most frequent
     * first.
     */
    describe(): string[];
}
