import { ApiError } from "../../http/errors.js";
import { MAX_NAMED_ROOTS, MAX_NAMED_ROWS } from "../../session/batch/batch-metadata.js";
import { type Part, requireTensor } from "./part.js";
import type { LabelTables } from "./row-tensors.js";
import type { Segment } from "./segments.js";

export interface MergedRows {
  readonly parts: readonly Part[];
  readonly segments: readonly Segment[];
  /** All sessions of the parts, in the order of the batch. */
  readonly sessionIds: readonly string[];
  /** Undefined if the parts have no row columns. */
  readonly labels: LabelTables | undefined;
}

/** Returns the `__metadata__` of the whole batch. Its keys have the order in which a single server writes them. */
export function mergeMetadata(rows: MergedRows, layout: string): Record<string, string> {
  const { parts, segments, sessionIds } = rows;
  const missing = new Set(parts.flatMap(({ metadata }) => metadata.rewards_missing));
  return {
    producer: "rolltape",
    layout,
    style: parts[0]?.metadata.style ?? "",
    discount: parts[0]?.metadata.discount ?? "",
    rewards_missing: JSON.stringify(sessionIds.filter((id) => missing.has(id))),
    incomplete_calls: mergeCounts(rows, "incomplete_calls"),
    aborted_calls: mergeCounts(rows, "aborted_calls"),
    ...mergeFilters(rows),
    ...(rows.labels && mergeRowMetadata(rows)),
    rows: JSON.stringify(segments.flatMap(({ part, rows: [from, to] }) => part.rows.slice(from, to))),
    ...(rows.labels && { row_codes: JSON.stringify(rows.labels) }),
  };
}

/** Merges the metadata of filters. All parts have the same filters, or none. */
function mergeFilters({ parts, sessionIds }: MergedRows): Record<string, string> {
  const filters = parts[0]?.metadata.filters;
  if (filters === undefined) return {};
  const lost = new Set(parts.flatMap(({ metadata }) => metadata.rewards_filtered ?? []));
  return {
    filters,
    filtered: String(parts.reduce((sum, { metadata }) => sum + (metadata.filtered ?? 0), 0)),
    rewards_filtered: JSON.stringify(sessionIds.filter((id) => lost.has(id))),
  };
}

/** Returns the counts by session of all parts in the order of the batch, as JSON. */
function mergeCounts({ parts, sessionIds }: MergedRows, name: "incomplete_calls" | "aborted_calls"): string {
  const counts = new Map(parts.flatMap(({ metadata }) => Object.entries(metadata[name])));
  return JSON.stringify(
    Object.fromEntries(sessionIds.flatMap((id) => (counts.has(id) ? [[id, counts.get(id)] as const] : []))),
  );
}

/** Returns the keys that describe rows. Parts have them unless the request has `row_tensors: false`. */
function mergeRowMetadata({ parts, segments, sessionIds }: MergedRows): Record<string, string> {
  refuseMixedModels(parts);
  const all = parts.map(({ metadata }) => metadata);
  const texts = {
    version: joinDistinct(all.map(({ version }) => version)),
    model: joinDistinct(all.map(({ model }) => model)),
    model_digest: all[0]?.model_digest,
    config: joinDistinctConfigs(all.map(({ config }) => config)),
    version_labels: mergeVersionLabels(all.map(({ version_labels }) => version_labels ?? {})),
    concat_reward: all[0]?.concat_reward,
    unrewarded_roots: JSON.stringify(mergeUnrewardedRoots(parts, sessionIds)),
    left_out: JSON.stringify(sumLeftOut(parts)),
    uncounted_rewards:
      all[0]?.uncounted_rewards === undefined ? undefined : JSON.stringify(findUncountedRewards(segments)),
    episodes: JSON.stringify(
      inOrder(
        all.flatMap(({ episodes = [] }) => episodes),
        sessionIds,
      ),
    ),
  };
  return Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** @throws ApiError if workers have different tokenizers: one token id would stand for different texts in one batch */
function refuseMixedModels(parts: readonly Part[]): void {
  const digests = new Set(parts.map(({ metadata }) => metadata.model_digest));
  if (digests.size <= 1) return;
  const models = joinDistinct(parts.map(({ metadata }) => metadata.model));
  const message = `The workers of these sessions serve models with different tokenizers or chat templates (${models}). Export the sessions of each worker separately.`;
  throw new ApiError("batch_not_exportable", message, { param: "session_ids" });
}

/** Returns the distinct texts separated by commas; undefined if there are none. */
function joinDistinct(texts: readonly (string | undefined)[]): string | undefined {
  const distinct = [...new Set(texts.filter((text) => text !== undefined))];
  return distinct.length === 0 ? undefined : distinct.join(", ");
}

/** Returns the configuration that all parts have, or a JSON list of the distinct ones. */
function joinDistinctConfigs(configs: readonly (string | undefined)[]): string | undefined {
  const distinct = [...new Set(configs.filter((config) => config !== undefined))];
  return distinct.length > 1 ? `[${distinct.join(",")}]` : distinct[0];
}

/** Returns the versions by label as JSON: a list for a label that has different versions on different workers. */
function mergeVersionLabels(labels: readonly Readonly<Record<string, number>>[]): string | undefined {
  const merged = new Map<string, Set<number>>();
  for (const [label, version] of labels.flatMap((each) => Object.entries(each))) {
    merged.set(label, (merged.get(label) ?? new Set()).add(version));
  }
  if (merged.size === 0) return undefined;
  const entries = [...merged].map(([label, versions]) => [
    label,
    versions.size === 1 ? [...versions][0] : [...versions],
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

function mergeUnrewardedRoots(parts: readonly Part[], sessionIds: readonly string[]): object {
  const roots = parts.flatMap(({ metadata }) => metadata.unrewarded_roots?.first ?? []);
  const count = parts.reduce((sum, { metadata }) => sum + (metadata.unrewarded_roots?.count ?? 0), 0);
  return { count, first: inOrder(roots, sessionIds).slice(0, MAX_NAMED_ROOTS) };
}

/** Sorts entries by their sessions. */
function inOrder<Entry extends { session_id: string }>(
  entries: readonly Entry[],
  sessionIds: readonly string[],
): Entry[] {
  const positions = new Map(sessionIds.map((id, index) => [id, index]));
  return entries.toSorted((a, b) => (positions.get(a.session_id) ?? 0) - (positions.get(b.session_id) ?? 0));
}

function sumLeftOut(parts: readonly Part[]): object {
  const sum = (reason: "undelivered" | "retried") =>
    parts.reduce((total, { metadata }) => total + (metadata.left_out?.[reason] ?? 0), 0);
  return { undelivered: sum("undelivered"), retried: sum("retried") };
}

/** Returns the number of rows with uncounted rewards, and the batch indices of the first few. */
function findUncountedRewards(segments: readonly Segment[]): object {
  const first: number[] = [];
  let count = 0;
  let row = 0;
  for (const { part, rows } of segments) {
    for (const flag of requireTensor(part, "row_uncounted_rewards").bytes.subarray(...rows)) {
      if (flag === 1 && count++ < MAX_NAMED_ROWS) first.push(row);
      row++;
    }
  }
  return { rows: count, first };
}
