import { makeInert } from "../../support/inert-text.js";
import { describeFindings } from "./batch-findings.js";
import { readFacts, sumCounts } from "./metadata.js";
/**
 * Returns the warnings about a batch: its findings, and warnings from metadata that batches without row tensors have
 * too.
 */
export function listWarnings({ header, findings }) {
    const { rewardsMissing = [], unrewardedRoots, abortedCalls = {} } = readFacts(header);
    const [first] = rewardsMissing;
    // The findings name the conversations of these sessions, if the batch has row tensors.
    const missing = first !== undefined && unrewardedRoots === undefined ? [describeMissing(rewardsMissing.length, first)] : [];
    const abortedCount = sumCounts(abortedCalls);
    const aborted = abortedCount > 0 ? [describeAborted(abortedCount)] : [];
    return [...describeFindings(findings), ...[...missing, ...aborted].map(makeInert)];
}
function describeAborted(count) {
    return (`${count} ${count === 1 ? "model call was" : "model calls were"} not recorded: the client disconnected before the answer ` +
        "was complete. Look for agents that abort calls or time out.");
}
function describeMissing(count, first) {
    const subject = count === 1 ? "1 session has no reward and trains" : `${count} sessions have no reward and train`;
    return (`${subject} with reward 0 (first: session ${first}). ` +
        "Set rollout.agent.reward_scope=session (scope of set_reward), or reward a call of each.");
}
//# sourceMappingURL=warnings.js.map