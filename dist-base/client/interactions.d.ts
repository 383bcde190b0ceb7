import { Interaction } from "./interaction.js";
import type { TrajectoriesReply } from "./wire-interaction.js";
/** A recorded call that its session's export leaves out. */
export interface LeftOutCall {
    readonly id: string;
    /** `undelivered`: its answer did not reach the agent. `retried`: the client sent the request again. */
    readonly reason: string;
    /** Undefined for a root of the tree. */
    readonly parentId: string | undefined;
    /** Seconds since the epoch, when the call completed. */
    readonly createdAt: number;
    readonly finishReason: string;
}
/**
 * The interactions of a session by id, in the order in which its calls completed. The properties are the fields of the export
 * that concern the whole session. A field that an older proxy does not send is undefined.
 */
export interface Interactions extends ReadonlyMap<string, Interaction> {
    /** Reward of the session as a whole; undefined if none was set. */
    readonly sessionReward: number | undefined;
    /** True if no reward was set, neither for an interaction nor for the session. */
    readonly rewardsMissing: boolean;
    /** Ids of roots whose conversation tree has no reward. If there are many, only the first of them. */
    readonly unrewardedRoots: readonly string[] | undefined;
    /** Ids of rows whose `reward` leaves out own rewards of earlier turns. Undefined unless the style is concat. */
    readonly uncountedRewards: readonly string[] | undefined;
    readonly leftOut: readonly LeftOutCall[] | undefined;
    /** Number of interactions that the filters removed; 0 without filters. */
    readonly filtered: number;
    /** True if the session has a reward, and none of it reached an interaction of this export because of the filters. */
    readonly rewardsFiltered: boolean;
    /** Number of calls that were in flight and that the export aborted. */
    readonly incompleteCalls: number;
    /** Number of calls whose client disconnected before they were recorded. */
    readonly abortedCalls: number | undefined;
}
export declare function toInteractions(reply: TrajectoriesReply): Interactions;
