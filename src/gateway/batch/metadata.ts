import { ApiError } from "../../http/errors.js";
import { MAX_NAMED_ROOTS, MAX_NAMED_ROWS } from "../../session/batch/batch-metadata.js";
import { type Part, tensorOf } from "./part.js";
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

/** Returns the `__metadata__` of the whole batch, its names in the order in which a single server writes them. */
export function mergedMetadata(rows: MergedRows, layout: string): Record<string, string> {
  const { parts, segments, sessionIds } = rows;
  const missing = new Set(parts.flatMap(({ metadata }) => metadata.rewards_missing));
  return {
    producer: "rolltape",
    layout,
    style: parts[0]?.metadata.style ?? "",
    discount: parts[0]?.metadata.discount ?? "",
    rewards_missing: JSON.stringify(sessionIds.filter((id) => missing.has(id))),
    incomplete_calls: countsBySession(rows, "incomplete_calls"),
    aborted_calls: countsBySession(rows, "aborted_calls"),
    ...(rows.labels && ofRows(rows)),
    rows: JSON.stringify(segments.flatMap(({ part, rows: [from, to] }) => part.rows.slice(from, to))),
    ...(rows.labels && { row_codes: JSON.stringify(rows.labels) }),
  };
}

/** Returns the counts of all parts in the order of the batch, as JSON. */
function countsBySession({ parts, sessionIds }: MergedRows, name: "incomplete_calls" | "aborted_calls"): string {
  const counts = new Map(parts.flatMap(({ metadata }) => Object.entries(metadata[name])));
  return JSON.stringify(
    Object.fromEntries(sessionIds.flatMap((id) => (counts.has(id) ? [[id, counts.get(id)] as const] : []))),
  );
}

function ofRows({ parts, segments, sessionIds }: MergedRows): Record<string, string> {
  refuseMixedModels(parts);
  const all = parts.map(({ metadata }) => metadata);
  const texts = {
    version: joined(all.map(({ version }) => version)),
    model: joined(all.map(({ model }) => model)),
    model_digest: all[0]?.model_digest,
    config: joinedConfigs(all.map(({ config }) => config)),
    concat_reward: all[0]?.concat_reward,
    unrewarded_roots: JSON.stringify(unrewardedRoots(parts, sessionIds)),
    left_out: JSON.stringify(leftOut(parts)),
    uncounted_rewards: all[0]?.uncounted_rewards === undefined ? undefined : JSON.stringify(uncounted(segments)),
  };
  return Object.fromEntries(Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** With different tokenizers, one token id would stand for different texts in one batch. */
function refuseMixedModels(parts: readonly Part[]): void {
  const digests = new Set(parts.map(({ metadata }) => metadata.model_digest));
  if (digests.size <= 1) return;
  const models = joined(parts.map(({ metadata }) => metadata.model));
  const message = `The workers of these sessions serve models with different tokenizers or chat templates (${models}). Export the sessions of each worker separately.`;
  throw new ApiError("batch_not_exportable", message, { param: "session_ids" });
}

/** Returns the text that all parts have, or the distinct ones separated by commas. */
function joined(texts: readonly (string | undefined)[]): string | undefined {
  const different = [...new Set(texts.filter((text) => text !== undefined))];
  return different.length === 0 ? undefined : different.join(", ");
}

/** Returns the configuration that all parts have, or a JSON list of the distinct ones. */
function joinedConfigs(configs: readonly (string | undefined)[]): string | undefined {
  const different = [...new Set(configs.filter((config) => config !== undefined))];
  return different.length > 1 ? `[${different.join(",")}]` : different[0];
}

function unrewardedRoots(parts: readonly Part[], sessionIds: readonly string[]): object {
  const place = new Map(sessionIds.map((id, index) => [id, index]));
  const roots = parts.flatMap(({ metadata }) => metadata.unrewarded_roots?.first ?? []);
  const count = parts.reduce((sum, { metadata }) => sum + (metadata.unrewarded_roots?.count ?? 0), 0);
  const ordered = roots.toSorted((a, b) => (place.get(a.session_id) ?? 0) - (place.get(b.session_id) ?? 0));
  return { count, first: ordered.slice(0, MAX_NAMED_ROOTS) };
}

function leftOut(parts: readonly Part[]): object {
  const sum = (reason: "undelivered" | "retried") =>
    parts.reduce((total, { metadata }) => total + (metadata.left_out?.[reason] ?? 0), 0);
  return { undelivered: sum("undelivered"), retried: sum("retried") };
}

function uncounted(segments: readonly Segment[]): object {
  const first: number[] = [];
  let count = 0;
  let row = 0;
  for (const { part, rows } of segments) {
    for (const flag of tensorOf(part, "row_uncounted_rewards").bytes.subarray(...rows)) {
      if (flag === 1 && count++ < MAX_NAMED_ROWS) first.push(row);
      row++;
    }
  }
  return { rows: count, first };
}
