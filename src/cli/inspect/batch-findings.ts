import type { MetadataRow } from "../../batch-file/batch-rows.js";
import type { LogprobContent } from "../../engine/engine.js";
import { isTruncated } from "../../facts/sampling.js";
import type { BrokenPrefixCause } from "../../session/turn/turn.js";
import { makeInert } from "../../support/inert-text.js";
import type { TensorFile } from "../../support/safetensors/tensor-file.js";
import { countLabels, type InspectedColumns, readLabel, readRowColumns } from "./columns.js";
import { type BatchEpisode, readEpisodes } from "./episodes.js";
import { readFacts } from "./metadata.js";
import { formatFloat } from "./numbers.js";

/** Properties of batches that may cause unintended training. */
export interface BatchFindings {
  readonly rows: number;
  /** Rows whose reward leaves out own rewards of earlier turns. */
  readonly uncountedRows: number;
  /** Conversation trees without any reward, and the first of them. */
  readonly unrewardedRoots: number;
  readonly firstUnrewarded: { readonly session_id: string; readonly interaction_id: string } | undefined;
  /** Sessions whose rewards reach no row because of the filters, and the id of the first. */
  readonly rewardsFiltered: number;
  readonly firstFiltered: string | undefined;
  /** Interactions that are not trained on, by reason. */
  readonly undelivered: number;
  readonly retried: number;
  /** Rows whose log probabilities were recorded before temperature and penalties. */
  readonly rawRows: number;
  /** Rows for which it is not known what the log probabilities include. */
  readonly unknownRows: number;
  /** Rows whose log probabilities are of the tokens that truncated sampling kept, in a batch without the sampling masks. */
  readonly unmaskedRows: number;
  /** Rows whose first prompt was rendered to other tokens than those of its parent. */
  readonly rerenderedRows: number;
  /** Number of episodes, and their lowest and highest reward. */
  readonly episodes: number;
  readonly lowestReward: number;
  readonly highestReward: number;
  /** Number of groups of several episodes. */
  readonly groups: number;
  /** Those of them whose episodes have the same reward, and the id of the first. */
  readonly equalGroups: number;
  readonly firstEqual: string | undefined;
}

export const NO_FINDINGS: BatchFindings = {
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
  unmaskedRows: 0,
  rerenderedRows: 0,
  episodes: 0,
  lowestReward: Infinity,
  highestReward: -Infinity,
  groups: 0,
  equalGroups: 0,
  firstEqual: undefined,
};

const CONTENT = "logprob_content";
const TRUNCATED: LogprobContent = "truncated";
const CAUSE = "cause";
const TRUNCATION = { topK: "top_k", topP: "top_p", minP: "min_p", temperature: "sampling_temperature" } as const;
const RERENDERED: BrokenPrefixCause = "rerendered";

/** Fewer episodes often have the same reward by chance. */
const FEWEST_EPISODES = 8;

/** Reads the findings of one batch. All counts but `rows` are 0 if it has no row tensors. */
export async function readFindings(file: TensorFile, allRows: readonly MetadataRow[]): Promise<BatchFindings> {
  const rows = allRows.length;
  const { unrewardedRoots, leftOut, uncountedRewards, rewardsFiltered = [] } = readFacts(file.header);
  const columns = await readRowColumns(file, rows, [CONTENT, CAUSE, "episode_reward", ...Object.values(TRUNCATION)]);
  const counts = countLabels(columns.get(CONTENT));
  const countRows = (kind: LogprobContent) => counts.get(kind) ?? 0;
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
    unmaskedRows: file.header.tensors.some(({ name }) => name === "kept_ids") ? 0 : countTruncated(columns),
    rerenderedRows: countLabels(columns.get(CAUSE)).get(RERENDERED) ?? 0,
    ...compareRewards([...readEpisodes(allRows, columns).values()]),
  };
}

/** Returns the number of rows with truncated log probabilities in whose last turn top-k, top-p or min-p may have left tokens out. */
function countTruncated(columns: InspectedColumns): number {
  const content = columns.get(CONTENT);
  if (!content) return 0;
  const read = (name: keyof typeof TRUNCATION, row: number) => columns.get(TRUNCATION[name])?.values[row] ?? Number.NaN;
  const isCounted = (row: number) =>
    readLabel(content, row) === TRUNCATED &&
    isTruncated({
      topK: read("topK", row),
      topP: read("topP", row),
      minP: read("minP", row),
      temperature: read("temperature", row),
    });
  return [...content.values.keys()].filter(isCounted).length;
}

function compareRewards(episodes: readonly BatchEpisode[]) {
  const groups = new Map<string, Set<number>>();
  const sizes = new Map<string, number>();
  for (const { groupId, reward } of episodes) {
    if (groupId === null) continue;
    groups.set(groupId, (groups.get(groupId) ?? new Set()).add(reward));
    sizes.set(groupId, (sizes.get(groupId) ?? 0) + 1);
  }
  const several = [...groups].filter(([id]) => (sizes.get(id) ?? 0) > 1);
  const equal = several.filter(([, rewards]) => rewards.size === 1);
  return {
    episodes: episodes.length,
    lowestReward: episodes.reduce((lowest, { reward }) => Math.min(lowest, reward), Infinity),
    highestReward: episodes.reduce((highest, { reward }) => Math.max(highest, reward), -Infinity),
    groups: several.length,
    equalGroups: equal.length,
    firstEqual: equal[0]?.[0],
  };
}

/** Returns the findings of two sets of batches together. */
export function addFindings(a: BatchFindings, b: BatchFindings): BatchFindings {
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
    unmaskedRows: a.unmaskedRows + b.unmaskedRows,
    rerenderedRows: a.rerenderedRows + b.rerenderedRows,
    episodes: a.episodes + b.episodes,
    lowestReward: Math.min(a.lowestReward, b.lowestReward),
    highestReward: Math.max(a.highestReward, b.highestReward),
    groups: a.groups + b.groups,
    equalGroups: a.equalGroups + b.equalGroups,
    firstEqual: a.firstEqual ?? b.firstEqual,
  };
}

/** Returns one warning per finding that is not 0: what was found, how often, and what to do. */
export function describeFindings(findings: BatchFindings): string[] {
  const { rows, uncountedRows, unrewardedRoots, rewardsFiltered, undelivered, retried } = findings;
  const {
    rawRows,
    unknownRows,
    unmaskedRows,
    rerenderedRows,
    episodes,
    lowestReward,
    highestReward,
    groups,
    equalGroups,
  } = findings;
  const isEqual = episodes >= FEWEST_EPISODES && lowestReward === highestReward;
  const ofRows = (count: number) => `${count} of ${rows} rows`;
  const warnings: readonly (readonly [count: number, text: string])[] = [
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
      isEqual ? episodes : 0,
      `all ${episodes} episodes have the reward ${formatFloat(lowestReward)}, which says nothing about which is better. ` +
        "Check the agent's reward, or choose other tasks.",
    ],
    [
      isEqual ? 0 : equalGroups,
      `${equalGroups} of ${plural(groups, "group has", "groups have")} the same reward in every episode` +
        ` (first: ${findings.firstEqual ?? ""}). Advantages within such a group are 0, so it trains nothing: choose tasks that are ` +
        "solved sometimes.",
    ],
    [
      rewardsFiltered,
      `${plural(rewardsFiltered, "session has a reward that reaches", "sessions have rewards that reach")} no row, because the ` +
        `filters removed the rewarded calls (first session: ${findings.firstFiltered ?? ""}). Change rollout.agent.export_filters (models, ` +
        "exclude_models, tags, roots and overlong of an export), or reward a call that is kept.",
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
    [
      unmaskedRows,
      `${ofRows(unmaskedRows)} have log probabilities over the tokens that top-k, top-p and min-p kept, and the batch lacks these ` +
        "tokens, so a trainer cannot compute the same. Set engine.sampling_masks=true (docs/guides/token-values.md).",
    ],
    [
      rerenderedRows,
      `${ofRows(rerenderedRows)} begin with a prompt that the chat template rendered to other tokens than were sampled before. ` +
        "Set rollout.agent.chat_template_type=concat, which continues the sampled tokens.",
    ],
  ];
  return warnings.flatMap(([count, text]) => (count > 0 ? [makeInert(text)] : []));
}

function firstUnrewarded({ firstUnrewarded: first }: BatchFindings): string {
  return first ? ` (first: session ${first.session_id}, interaction ${first.interaction_id})` : "";
}

function plural(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}
