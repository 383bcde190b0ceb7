import { makeInert } from "../../support/inert-text.js";
import { countLabels, readRowColumns } from "./columns.js";
import { readFacts } from "./metadata.js";
export const NO_FINDINGS = {
    rows: 0,
    uncountedRows: 0,
    unrewardedRoots: 0,
    firstUnrewarded: undefined,
    rewardsFiltered: 0,
    firstFiltered: undefined,
    undelivered: 0,
    retried: 0,
    rawRows: 0,
    unknownRows: 0,
};
const CONTENT = "logprob_content";
/**
 * Reads the findings of one batch. All counts but `rows` are 0 if it has no row tensors.
 *
 * @param rows number of rows of the batch
 */
export async function readFindings(file, rows) {
    const { unrewardedRoots, leftOut, uncountedRewards, rewardsFiltered = [] } = readFacts(file.header);
    const content = (await readRowColumns(file, rows, [CONTENT])).get(CONTENT);
    const counts = content ? countLabels(content) : new Map();
    const countRows = (kind) => counts.get(kind) ?? 0;
    return {
        rows,
        uncountedRows: uncountedRewards?.rows ?? 0,
        unrewardedRoots: unrewardedRoots?.count ?? 0,
        firstUnrewarded: unrewardedRoots?.first[0],
        rewardsFiltered: rewardsFiltered.length,
        firstFiltered: rewardsFiltered[0],
        undelivered: leftOut?.undelivered ?? 0,
        retried: leftOut?.retried ?? 0,
        rawRows: countRows("raw"),
        unknownRows: countRows("unknown"),
    };
}
/** Returns the findings of two sets of batches together. */
export function addFindings(a, b) {
    return {
        rows: a.rows + b.rows,
        uncountedRows: a.uncountedRows + b.uncountedRows,
        unrewardedRoots: a.unrewardedRoots + b.unrewardedRoots,
        firstUnrewarded: a.firstUnrewarded ?? b.firstUnrewarded,
        rewardsFiltered: a.rewardsFiltered + b.rewardsFiltered,
        firstFiltered: a.firstFiltered ?? b.firstFiltered,
        undelivered: a.undelivered + b.undelivered,
        retried: a.retried + b.retried,
        rawRows: a.rawRows + b.rawRows,
        unknownRows: a.unknownRows + b.unknownRows,
    };
}
/** Returns one warning per finding that is not 0: what was found, how often, and what to do. */
export function describeFindings(findings) {
    const { rows, uncountedRows, unrewardedRoots, rewardsFiltered, undelivered, retried, rawRows, unknownRows } = findings;
    const ofRows = (count) => `${count} of ${rows} rows`;
    const warnings = [
        [
            uncountedRows,
            `${ofRows(uncountedRows)} have rewards on earlier turns that the row's reward does not count. ` +
                "Set rollout.agent.concat_reward=return (concat_reward of an export) to count them.",
        ],
        [
            unrewardedRoots,
            `${plural(unrewardedRoots, "conversation has no reward and trains", "conversations have no reward and train")}` +
                ` with reward 0${firstUnrewarded(findings)}. Set rollout.agent.reward_scope=session (scope of set_reward), or reward a call of each.`,
        ],
        [
            rewardsFiltered,
            `${plural(rewardsFiltered, "session has a reward that reaches", "sessions have rewards that reach")} no row, because the ` +
                `filters removed the rewarded calls (first session: ${findings.firstFiltered ?? ""}). Change rollout.agent.export_filters (models, ` +
                "exclude_models, tags and roots of an export), or reward a call that is kept.",
        ],
        [
            undelivered,
            `${plural(undelivered, "model call is", "model calls are")} not trained on: the answer did not reach the agent. ` +
                "Look for agents that abort calls or time out; an export with include_undelivered trains on them too.",
        ],
        [
            retried,
            `${plural(retried, "model call is", "model calls are")} not trained on: the client sent the request again. ` +
                "Turn retries off in the agent's SDK (maxRetries: 0).",
        ],
        [
            rawRows,
            `${ofRows(rawRows)} have raw log probabilities, taken before temperature and penalties. ` +
                "Start vLLM with --logprobs-mode processed_logprobs (docs/reference/engines.md).",
        ],
        [
            unknownRows,
            `${ofRows(unknownRows)} have log probabilities of unknown content. ` +
                "GET /rl/engine shows the servers that could not be asked (docs/reference/engines.md).",
        ],
    ];
    return warnings.flatMap(([count, text]) => (count > 0 ? [makeInert(text)] : []));
}
function firstUnrewarded({ firstUnrewarded: first }) {
    return first ? ` (first: session ${first.session_id}, interaction ${first.interaction_id})` : "";
}
function plural(count, one, several) {
    return `${count} ${count === 1 ? one : several}`;
}
//# sourceMappingURL=batch-findings.js.map