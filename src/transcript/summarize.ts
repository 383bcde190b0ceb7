import type {
  EpisodeLine,
  EpisodeSummary,
  IndexLine,
  InteractionsSummary,
  LinePosition,
  TranscriptInteraction,
  TranscriptLine,
} from "./format.js";

/** The fields of an interaction that a summary needs. */
export type Summarized = Pick<
  TranscriptInteraction,
  | "parent"
  | "finish_reason"
  | "versions"
  | "prompt_tokens"
  | "completion_tokens"
  | "token_exact"
  | "left_out"
  | "own_reward"
>;

/** Returns the line of the index for a line of the transcript. */
export function toIndexLine(line: TranscriptLine, { offset, length }: LinePosition): IndexLine {
  const summary = line.type === "episode" ? summarizeEpisode(line) : line;
  return { offset, length, ...summary };
}

/** Returns what a list of episodes shows of one. */
export function summarizeEpisode({ interactions, ...head }: EpisodeLine): EpisodeSummary {
  return joinSummary(head, summarizeInteractions(interactions, head.session_reward));
}

/** Returns the summary of an episode whose interactions are summarized already. */
export function joinSummary(
  { error, ...head }: Omit<EpisodeLine, "interactions">,
  interactions: InteractionsSummary,
): EpisodeSummary {
  return { ...head, ...(error && { error: error.code }), ...interactions };
}

/** @param sessionReward the reward with the scope of the session */
export function summarizeInteractions(
  interactions: readonly Summarized[],
  sessionReward: number | undefined,
): InteractionsSummary {
  const depths = measureDepths(interactions);
  const continued = new Set<number>();
  const finishReasons = new Map<string, number>();
  let [promptTokens, completionTokens, broken, leftOut, branches] = [0, 0, 0, 0, 0];
  let [oldest, newest] = [Infinity, -Infinity];
  for (const interaction of interactions) {
    const { parent, finish_reason: reason, versions } = interaction;
    promptTokens += interaction.prompt_tokens;
    completionTokens += interaction.completion_tokens;
    if (parent >= 0 && !interaction.token_exact) broken++;
    if (interaction.left_out !== undefined) leftOut++;
    if (parent >= 0 && continued.has(parent)) branches++;
    continued.add(parent);
    finishReasons.set(reason, (finishReasons.get(reason) ?? 0) + 1);
    if (versions) [oldest, newest] = [Math.min(oldest, versions[0]), Math.max(newest, versions[1])];
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
    ...(oldest <= newest && { versions: [oldest, newest] as const }),
  };
}

/** Returns the number of interactions on the way from the root to each interaction, both included. */
function measureDepths(interactions: readonly Summarized[]): number[] {
  const depths: number[] = [];
  for (const { parent } of interactions) depths.push((depths[parent] ?? 0) + 1);
  return depths;
}

/**
 * Returns what the agent returned: the session's reward plus the own reward of each interaction, undiscounted. Null if nothing was
 * rewarded.
 */
function findReward(sessionReward: number | undefined, interactions: readonly Summarized[]): number | null {
  const rewards = [sessionReward, ...interactions.map((each) => each.own_reward)].filter((each) => each !== undefined);
  return rewards.length === 0 ? null : rewards.reduce((sum, each) => sum + each, 0);
}
