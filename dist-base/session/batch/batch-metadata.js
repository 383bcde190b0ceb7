import { packageVersion } from "../../support/package-version.js";
import { describeFilter } from "./row-filter.js";
/** Most unrewarded conversation trees that the metadata names. The native core has the same limit. */
export const MAX_NAMED_ROOTS = 8;
/** Most rows with uncounted rewards that the metadata lists. The row column `uncounted_rewards` has all of them. */
export const MAX_NAMED_ROWS = 64;
let version;
/**
 * Returns the metadata that is the same in all shards of a batch. `rows` and `uncounted_rewards` are not part of it.
 */
export function batchMetadata(plan, options, origin) {
    const { rewardsMissing, incompleteCalls, abortedCalls } = plan.counts;
    const { style, discount, layout } = options;
    return {
        producer: "rolltape",
        layout,
        style,
        discount: String(discount),
        rewards_missing: JSON.stringify(rewardsMissing),
        incomplete_calls: JSON.stringify(incompleteCalls),
        aborted_calls: JSON.stringify(abortedCalls),
        ...filterMetadata(plan, options),
        ...(options.rowTensors && rowMetadata(plan, options, origin)),
    };
}
/** Returns the metadata of filters; an empty object without filters. */
function filterMetadata({ native, sessions }, options) {
    const filters = describeFilter(options);
    if (!filters)
        return {};
    const ids = native.rewardsFiltered.flatMap((index) => sessions[index]?.id ?? []);
    return {
        filters: JSON.stringify(filters),
        filtered: String(native.filteredCount),
        rewards_filtered: JSON.stringify(ids),
    };
}
function rowMetadata(plan, { style, concatReward }, origin) {
    version ??= packageVersion();
    return {
        version,
        ...(origin && { model: origin.model, model_digest: origin.modelDigest, config: JSON.stringify(origin.config) }),
        ...(style === "concat" && { concat_reward: concatReward }),
        unrewarded_roots: JSON.stringify(unrewardedRoots(plan)),
        left_out: JSON.stringify(countReasons(plan)),
    };
}
/**
 * Returns the metadata `uncounted_rewards` of one file: the rows whose reward leaves out own rewards of earlier turns.
 */
export function uncountedRewards({ native: { rows } }) {
    const all = countMarked(rows.uncountedRewards);
    const first = [];
    for (let row = rows.uncountedRewards.indexOf(1); row >= 0 && first.length < MAX_NAMED_ROWS;) {
        first.push(row);
        row = rows.uncountedRewards.indexOf(1, row + 1);
    }
    return { uncounted_rewards: JSON.stringify({ rows: all, first }) };
}
export function summarize(plan) {
    const { rows, unrewardedRoots: roots } = plan.native;
    return {
        unrewardedRoots: roots.count,
        uncountedRewardRows: countMarked(rows.uncountedRewards),
        leftOut: countReasons(plan),
    };
}
/** Returns how many flags are 1. */
function countMarked(flags) {
    return flags.reduce((sum, flag) => sum + flag, 0);
}
/** Returns the number of conversation trees without any reward, and the roots of the first ones. */
export function unrewardedRoots({ native, sessions }) {
    const { count, first } = native.unrewardedRoots;
    const named = first.flatMap(({ session, interaction }) => {
        const owner = sessions[session];
        return owner ? [{ session_id: owner.id, interaction_id: owner.interaction(interaction).id }] : [];
    });
    return { count, first: named };
}
/** Returns how many interactions the export leaves out, by reason. */
export function countReasons({ leftOut }) {
    const counts = { undelivered: 0, retried: 0 };
    for (const { reason } of leftOut.flat())
        counts[reason]++;
    return counts;
}
//# sourceMappingURL=batch-metadata.js.map