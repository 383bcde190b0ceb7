import { readRows } from "../../batch-file/batch-rows.js";
import type { Config } from "../../config/index.js";
import { TensorFile } from "../../support/safetensors/tensor-file.js";
import { readRowColumns } from "../inspect/columns.js";
import { type BatchEpisode, readEpisodes } from "../inspect/episodes.js";
import type { BatchContent } from "./receive-batch.js";

/** Which groups a job leaves out of its batches. A session without a group is a group of its own. */
export interface GroupFilter {
  /** Leaves out groups in which all episodes have the same reward. */
  readonly dropZeroVariance: boolean;
  /** Leaves out groups with a token of a weight version below this one. Undefined: no limit. */
  readonly oldestVersion: number | undefined;
}

/** The sessions that a filter leaves out, and the number of their groups. A stale group is not counted as equal. */
export interface FilteredGroups {
  readonly equal: readonly string[];
  readonly equalGroups: number;
  readonly stale: readonly string[];
  readonly staleGroups: number;
}

/** Returns the filter of a batch; undefined if the configuration has none. */
export function readGroupFilter({ rollout }: Config, version: number): GroupFilter | undefined {
  const { drop_zero_variance: dropZeroVariance, max_token_staleness: most } = rollout;
  if (!dropZeroVariance && most === null) return undefined;
  return { dropZeroVariance, oldestVersion: most === null ? undefined : version - most };
}

interface Group {
  readonly sessions: Set<string>;
  readonly rewards: Set<number>;
  isStale: boolean;
}

/** Returns the sessions of a batch that the filter leaves out. */
export async function filterGroups(batch: BatchContent, filter: GroupFilter): Promise<FilteredGroups> {
  await using file = batch instanceof Uint8Array ? TensorFile.fromBytes(batch) : await TensorFile.open(batch.path);
  const rows = readRows(file.header);
  const columns = await readRowColumns(file, rows.length, ["min_version", "episode_reward"]);
  const versions = columns.get("min_version")?.values;
  const episodes = readEpisodes(rows, columns);
  const groups = new Map<string, Group>();
  for (const [row, { session_id: session }] of rows.entries()) {
    const group = findGroup(groups, session, episodes.get(session));
    const version = versions?.[row] ?? -1;
    // -1: the row has no sampled token.
    if (version >= 0 && version < (filter.oldestVersion ?? 0)) group.isStale = true;
  }
  const all = [...groups.values()];
  const stale = all.filter(({ isStale }) => isStale);
  const equal = filter.dropZeroVariance
    ? all.filter(({ isStale, sessions, rewards }) => !isStale && sessions.size > 1 && rewards.size === 1)
    : [];
  return {
    equal: equal.flatMap(({ sessions }) => [...sessions]),
    equalGroups: equal.length,
    stale: stale.flatMap(({ sessions }) => [...sessions]),
    staleGroups: stale.length,
  };
}

function findGroup(groups: Map<string, Group>, session: string, episode: BatchEpisode | undefined): Group {
  // A session id and a group id may be the same text.
  const groupId = episode?.groupId ?? null;
  const key = groupId === null ? `session ${session}` : `group ${groupId}`;
  const group = groups.get(key) ?? { sessions: new Set(), rewards: new Set(), isStale: false };
  groups.set(key, group);
  group.sessions.add(session);
  if (episode) group.rewards.add(episode.reward);
  return group;
}
