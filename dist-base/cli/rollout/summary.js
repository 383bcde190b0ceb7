import { describeFindings } from "../inspect/batch-findings.js";
import { describeExamples } from "./examples.js";
/** Returns the summary that `rolltape rollout` prints. */
export function describeRollout(summary) {
    const { tally, tasks, groupSize, seconds, sampledTokens, batches, errors, transcript } = summary;
    // Tasks that were running are aborted and count as rejected.
    const started = tally.acceptedTasks + tally.rejectedTasks;
    const lines = [["episodes", `${tally.accepted} accepted, ${tally.rejected} rejected`]];
    for (const line of tally.reasons.describe())
        lines.push(["", line]);
    if (groupSize > 1) {
        const incomplete = tally.incompleteTasks > 0 ? ` (${tally.incompleteTasks} incomplete)` : "";
        lines.push(["groups", `${tally.acceptedTasks} of ${tasks} kept${incomplete}, ${groupSize} episodes each`]);
    }
    if (tally.rerunTasks > 0)
        lines.push(["rerun", `${tally.rerunTasks} tasks, whose sessions were lost with their proxy`]);
    if (tally.lost > 0)
        lines.push(["lost", describeLost(tally)]);
    if (summary.stopped)
        lines.push(["stopped", `after ${started} of ${tasks} tasks had started`]);
    lines.push(["rewards", describeRewards(tally)], [
        "tokens",
        `${batches.tokens} in ${batches.rows} rows; ${sampledTokens} sampled, ${(sampledTokens / seconds).toFixed(0)}/s`,
    ], ["time", `${seconds.toFixed(1)} s, ${(tally.accepted / seconds).toFixed(1)} episodes/s`], ["wrote", `${describeFiles(batches)}, ${batches.bytes} bytes`], ...(errors === undefined ? [] : [["errors", errors]]), ...(transcript ? describeExamples(transcript) : []), ...describeFindings(batches.findings).map((warning) => ["warning", warning]));
    return lines.map(([name, text]) => `${name.padEnd(9)} ${text}\n`).join("");
}
function describeLost({ lost: sessions, leftOut }) {
    const others = leftOut > 0 ? `; ${leftOut} more of their groups were left out` : "";
    return `${sessions} sessions were lost with their proxy worker${others}`;
}
function describeFiles({ files }) {
    const [first = "", last = first] = [files[0], files.at(-1)];
    return files.length > 1 ? `${files.length} files, ${first} to ${last}` : first;
}
function describeRewards({ rewards: all, rewardMean }) {
    if (rewardMean === undefined)
        return "none";
    const [least, most] = all.reduce(([a, b], reward) => [Math.min(a, reward), Math.max(b, reward)], [Infinity, -Infinity]);
    return `mean ${rewardMean.toFixed(3)}, from ${Number(least.toPrecision(4))} to ${Number(most.toPrecision(4))}`;
}
//# sourceMappingURL=summary.js.map