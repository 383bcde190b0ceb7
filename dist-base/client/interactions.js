import { Interaction } from "./interaction.js";
export function toInteractions(reply) {
    const interactions = new Map();
    const context = { model: reply.model ?? undefined, all: interactions };
    for (const [id, wire] of Object.entries(reply.interactions))
        interactions.set(id, new Interaction(wire, context));
    return Object.assign(interactions, {
        sessionReward: reply.session_reward ?? undefined,
        rewardsMissing: reply.rewards_missing,
        unrewardedRoots: reply.unrewarded_roots,
        uncountedRewards: reply.uncounted_rewards,
        leftOut: reply.left_out?.map((wire) => ({
            id: wire.interaction_id,
            reason: wire.reason,
            parentId: wire.parent_id ?? undefined,
            createdAt: wire.created_at,
            finishReason: wire.finish_reason,
        })),
        filtered: reply.filtered ?? 0,
        rewardsFiltered: reply.rewards_filtered ?? false,
        incompleteCalls: reply.incomplete_calls,
        abortedCalls: reply.aborted_calls,
    });
}
//# sourceMappingURL=interactions.js.map