import { packageVersion } from "../../support/package-version.js";
import type { LeftOutReason } from "../delivery/delivery.js";
import type { BatchOptions } from "./batch-options.js";
import type { ExportPlan } from "./plan.js";
import { describeFilter } from "./row-filter.js";

/** The `__metadata__` of a safetensors header: text values, JSON if a value has structure. */
export type BatchMetadata = Readonly<Record<string, string>>;

/** Metadata that a server adds to its batches. The library's store has no server and does not add it. */
export interface BatchOrigin {
  /** Name of the model. */
  readonly model: string;
  /** SHA-256 of the checksums of tokenizer and chat template. Batches with the same digest agree in their token ids. */
  readonly modelDigest: string;
  /** The configuration that decides what is recorded. Of several servers: a list of the different configurations. */
  readonly config: Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];
  /** Metadata that says how to read channels, such as `moe_layers`. */
  readonly channels?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Weight versions by the text with which an engine named the weights, in order of appearance. A label that has different versions
   * on different servers has a list of them. Absent: there are none.
   */
  readonly versionLabels?: Readonly<Record<string, number | readonly number[]>> | undefined;
}

/** Most rows with uncounted rewards that the metadata lists. The row column `uncounted_rewards` has all of them. */
const MAX_NAMED_ROWS = 64;

/** Most labels of weight versions that the metadata lists: the newest ones. */
const MAX_VERSION_LABELS = 256;

let version: string | undefined;

/**
 * Returns the metadata that is the same in all shards of a batch. `rows` and `uncounted_rewards` are not part of it.
 */
export function batchMetadata(plan: ExportPlan, options: BatchOptions, origin: BatchOrigin | undefined): BatchMetadata {
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
    ...teacherMetadata(plan),
    ...filterMetadata(plan, options),
    ...(options.rowTensors && rowMetadata(plan, options, origin)),
  };
}

/** Returns the metadata of teachers; undefined without teachers. */
function teacherMetadata({ counts: { unscored } }: ExportPlan): BatchMetadata | undefined {
  if (unscored.size === 0) return undefined;
  const teachers = [...unscored].map(([name, sessions]) => [name, { logprobs: "raw", unscored: sessions }]);
  return { teachers: JSON.stringify(Object.fromEntries(teachers)) };
}

/** Returns the metadata of filters; undefined without filters, if no interaction of a frozen model was removed either. */
function filterMetadata({ native, sessions }: ExportPlan, options: BatchOptions): BatchMetadata | undefined {
  const filters = describeFilter(options) ?? (native.filteredCount > 0 ? {} : undefined);
  if (!filters) return undefined;
  const ids = native.rewardsFiltered.flatMap((index) => sessions[index]?.id ?? []);
  return {
    filters: JSON.stringify(filters),
    filtered: String(native.filteredCount),
    rewards_filtered: JSON.stringify(ids),
  };
}

function rowMetadata(
  plan: ExportPlan,
  { style, concatReward }: BatchOptions,
  origin: BatchOrigin | undefined,
): BatchMetadata {
  version ??= packageVersion();
  return {
    version,
    ...(origin && { model: origin.model, model_digest: origin.modelDigest, config: JSON.stringify(origin.config) }),
    ...labelMetadata(origin?.versionLabels),
    ...channelMetadata(origin?.channels),
    ...(style === "concat" && { concat_reward: concatReward }),
    unrewarded_roots: JSON.stringify(unrewardedRoots(plan)),
    left_out: JSON.stringify(countReasons(plan)),
  };
}

function labelMetadata(labels: BatchOrigin["versionLabels"]): BatchMetadata {
  const newest = Object.entries(labels ?? {}).slice(-MAX_VERSION_LABELS);
  return newest.length === 0 ? {} : { version_labels: JSON.stringify(Object.fromEntries(newest)) };
}

function channelMetadata(channels: BatchOrigin["channels"] = {}): BatchMetadata {
  return Object.fromEntries(Object.entries(channels).map(([name, value]) => [name, JSON.stringify(value)]));
}

/**
 * Returns the metadata `uncounted_rewards` of one file: the rows whose reward leaves out own rewards of earlier turns.
 */
export function uncountedRewards({ native: { rows } }: ExportPlan): BatchMetadata {
  const all = countMarked(rows.uncountedRewards);
  const first: number[] = [];
  for (let row = rows.uncountedRewards.indexOf(1); row >= 0 && first.length < MAX_NAMED_ROWS; ) {
    first.push(row);
    row = rows.uncountedRewards.indexOf(1, row + 1);
  }
  return { uncounted_rewards: JSON.stringify({ rows: all, first }) };
}

/** Counts of the rewards and interactions that an export does not contain. */
export interface ExportSummary {
  /** Conversation trees in which nothing has a reward. */
  readonly unrewardedRoots: number;
  /** Rows whose reward leaves out own rewards of earlier turns. */
  readonly uncountedRewardRows: number;
  /** Interactions that are left out, by reason. */
  readonly leftOut: Readonly<Record<LeftOutReason, number>>;
}

export function summarize(plan: ExportPlan): ExportSummary {
  const { rows, unrewardedRoots: roots } = plan.native;
  return {
    unrewardedRoots: roots.count,
    uncountedRewardRows: countMarked(rows.uncountedRewards),
    leftOut: countReasons(plan),
  };
}

/** Returns how many flags are 1. */
function countMarked(flags: Uint8Array): number {
  let sum = 0;
  for (const flag of flags) sum += flag;
  return sum;
}

interface NamedRoot {
  readonly session_id: string;
  readonly interaction_id: string;
}

/** Returns the number of conversation trees without any reward, and the roots of the first ones. */
export function unrewardedRoots({ native, sessions }: ExportPlan): { count: number; first: NamedRoot[] } {
  const { count, first } = native.unrewardedRoots;
  const named = first.flatMap(({ session, interaction }): NamedRoot[] => {
    const owner = sessions[session];
    return owner ? [{ session_id: owner.id, interaction_id: owner.interaction(interaction).id }] : [];
  });
  return { count, first: named };
}

/** Returns how many interactions the export leaves out, by reason. */
export function countReasons({ leftOut }: ExportPlan): Record<LeftOutReason, number> {
  const counts = { undelivered: 0, retried: 0 };
  for (const { reason } of leftOut.flat()) counts[reason]++;
  return counts;
}
