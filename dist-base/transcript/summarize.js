/** Returns the line of the index for a line of the transcript. */
export function toIndexLine(line, { offset, length }) {
    const summary = line.type === "episode" ? summarizeEpisode(line) : line;
    return { offset, length, ...summary };
}
/** Returns what a list of episodes shows of one. */
export function summarizeEpisode({ interactions, ...head }) {
    return joinSummary(head, summarizeInteractions(interactions, head.session_reward));
}
/** Returns the summary of an episode whose interactions are summarized already. */
export function joinSummary({ error, ...head }, interactions) {
    return { ...head, ...(error && { error: error.code }), ...interactions };
}
/** @param sessionReward the reward with the scope of the session */
export function summarizeInteractions(interactions, sessionReward) {
    const depths = measureDepths(interactions);
    const continued = new Set();
    const finishReasons = new Map();
    let [promptTokens, completionTokens, broken, leftOut, branches] = [0, 0, 0, 0, 0];
    let [oldest, newest] = [Infinity, -Infinity];
    for (const interaction of interactions) {
        const { parent, finish_reason: reason, versions } = interaction;
        promptTokens += interaction.prompt_tokens;
        completionTokens += interaction.completion_tokens;
        if (parent >= 0 && !interaction.token_exact)
            broken++;
        if (interaction.left_out !== undefined)
            leftOut++;
        if (parent >= 0 && continued.has(parent))
            branches++;
        continued.add(parent);
        finishReasons.set(reason, (finishReasons.get(reason) ?? 0) + 1);
        if (versions)
            [oldest, newest] = [Math.min(oldest, versions[0]), Math.max(newest, versions[1])];
    }
    return {
        reward: findReward(sessionReward, interactions),
        calls: interactions.length,
        turns: depths.reduce((deepest, depth) => Math.max(deepest, depth), 0),
        prompt_tokens: promptTokens,
        completion_tokens: completionTokens,
        finish_reasons: Object.fromEntries(finishReasons),
        broken,
        left_out: leftOut,
        branches,
        ...(oldest <= newest && { versions: [oldest, newest] }),
    };
}
/** Returns the number of interactions on the way from the root to each interaction, both included. */
function measureDepths(interactions) {
    const depths = [];
    for (const { parent } of interactions)
        depths.push((depths[parent] ?? 0) + 1);
    return depths;
}
/**
 * Returns the reward of an episode: its session's, else that of the root of the main conversation, which is the largest tree
 * with a reward. Null if nothing was rewarded.
 */
function findReward(sessionReward, interactions) {
    if (sessionReward !== undefined)
        return sessionReward;
    const roots = [];
    const sizes = new Map();
    const rewarded = new Set();
    interactions.forEach(({ parent, own_reward: own }, index) => {
        const root = roots[parent] ?? index;
        roots.push(root);
        sizes.set(root, (sizes.get(root) ?? 0) + 1);
        if (own !== undefined)
            rewarded.add(root);
    });
    let main;
    for (const root of rewarded) {
        if (main === undefined || (sizes.get(root) ?? 0) > (sizes.get(main) ?? 0))
            main = root;
    }
    return main === undefined ? null : (interactions[main]?.reward ?? null);
}
//# sourceMappingURL=summarize.js.map