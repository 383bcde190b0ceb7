import type { RecordedEpisode } from "./episode-row.js";

/** Episodes of one task that are compared with each other. */
export interface Group {
  readonly id: string;
  readonly taskId: string;
  readonly episodes: number;
  /** Rewards of the episodes that have one, in the order of the transcript. */
  readonly rewards: readonly number[];
  /** Null without rewards. */
  readonly mean: number | null;
  /** Highest minus lowest reward; null with fewer than two rewards. */
  readonly spread: number | null;
}

/** Returns the groups of episodes by id, in the order of their first episode. */
export function readGroups(episodes: readonly RecordedEpisode[]): Map<string, Group> {
  const members = new Map<string, { taskId: string; episodes: number; rewards: number[] }>();
  for (const { group, taskId, reward } of episodes) {
    if (group === null) continue;
    let found = members.get(group);
    if (!found) members.set(group, (found = { taskId, episodes: 0, rewards: [] }));
    found.episodes++;
    if (reward !== null) found.rewards.push(reward);
  }
  return new Map([...members].map(([id, found]) => [id, { id, ...found, ...spreadOf(found.rewards) }]));
}

function spreadOf(rewards: readonly number[]): Pick<Group, "mean" | "spread"> {
  if (rewards.length === 0) return { mean: null, spread: null };
  let [sum, low, high] = [0, Infinity, -Infinity];
  for (const reward of rewards) {
    sum += reward;
    low = Math.min(low, reward);
    high = Math.max(high, reward);
  }
  return { mean: sum / rewards.length, spread: rewards.length < 2 ? null : high - low };
}
