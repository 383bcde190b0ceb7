import type { EpisodeRow } from "./episode-row.js";

/** A number of an episode that the list is filtered and sorted by. */
interface RangeField {
  readonly label: string;
  /** The number, or the lowest and highest of several; null if the episode has none. */
  readonly read: (row: EpisodeRow) => number | readonly [number, number] | null;
}

/** A text of an episode that the list is filtered and sorted by. */
interface ValueField {
  readonly label: string;
  readonly read: (row: EpisodeRow) => readonly string[];
}

export const RANGE_FIELDS = {
  reward: { label: "Reward", read: (row) => row.reward },
  step: { label: "Step", read: (row) => row.step },
  version: {
    label: "Version",
    read: (row) =>
      row.oldestVersion === null ? row.version : [row.oldestVersion, row.newestVersion ?? row.oldestVersion],
  },
  staleness: { label: "Staleness", read: (row) => row.staleness },
  turns: { label: "Turns", read: (row) => row.turns },
  calls: { label: "Calls", read: (row) => row.calls },
  prompt: { label: "Prompt tokens", read: (row) => row.promptTokens },
  completion: { label: "Completion tokens", read: (row) => row.completionTokens },
  duration: { label: "Duration (s)", read: (row) => row.duration },
  started: { label: "Started", read: (row) => row.startedAt },
  broken: { label: "Broken prefixes", read: (row) => row.broken },
  leftout: { label: "Left out", read: (row) => row.leftOut },
  branches: { label: "Branches", read: (row) => row.branches },
  spread: { label: "Reward spread of the group", read: (row) => row.groupSpread },
  groupmean: { label: "Mean reward of the group", read: (row) => row.groupMean },
} as const satisfies Record<string, RangeField>;

export const VALUE_FIELDS = {
  task: { label: "Task", read: (row) => [row.taskId] },
  group: { label: "Group", read: (row) => (row.group === null ? [] : [row.group]) },
  status: { label: "Status", read: (row) => [row.accepted ? "accepted" : "rejected"] },
  error: { label: "Error", read: (row) => (row.error === null ? [] : [row.error]) },
  finish: { label: "Finish reason", read: (row) => Object.keys(row.finishReasons) },
} as const satisfies Record<string, ValueField>;

export type RangeKey = keyof typeof RANGE_FIELDS;
export type ValueKey = keyof typeof VALUE_FIELDS;

export const RANGE_KEYS = Object.keys(RANGE_FIELDS) as RangeKey[];
export const VALUE_KEYS = Object.keys(VALUE_FIELDS) as ValueKey[];

export const isRangeKey = (key: string): key is RangeKey => Object.hasOwn(RANGE_FIELDS, key);
export const isValueKey = (key: string): key is ValueKey => Object.hasOwn(VALUE_FIELDS, key);
