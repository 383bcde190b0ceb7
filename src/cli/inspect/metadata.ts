import { z } from "zod";
import type { Header } from "../../support/safetensors/read-header.js";
import { readJson } from "../../support/schema/read-json.js";

const rootSchema = z.object({ session_id: z.string(), interaction_id: z.string() });
const schemas = {
  rewardsMissing: z.array(z.string()),
  labels: z.record(z.string(), z.array(z.string())),
  unrewardedRoots: z.object({ count: z.int().min(0), first: z.array(rootSchema) }),
  incompleteCalls: z.record(z.string(), z.int().min(0)),
  abortedCalls: z.record(z.string(), z.int().min(0)),
  leftOut: z.object({ undelivered: z.int().min(0), retried: z.int().min(0) }),
  rewardsFiltered: z.array(z.string()),
  uncountedRewards: z.object({ rows: z.int().min(0), first: z.array(z.int()) }),
} as const;

/** Parsed metadata. An entry that a file lacks, or has in another form, is undefined. */
export type InspectedMetadata = {
  readonly [name in keyof typeof schemas]: z.output<(typeof schemas)[name]> | undefined;
};

export function readFacts({ metadata }: Header): InspectedMetadata {
  return {
    rewardsMissing: readJson(schemas.rewardsMissing, metadata["rewards_missing"]),
    incompleteCalls: readJson(schemas.incompleteCalls, metadata["incomplete_calls"]),
    abortedCalls: readJson(schemas.abortedCalls, metadata["aborted_calls"]),
    labels: readJson(schemas.labels, metadata["row_codes"]),
    unrewardedRoots: readJson(schemas.unrewardedRoots, metadata["unrewarded_roots"]),
    leftOut: readJson(schemas.leftOut, metadata["left_out"]),
    rewardsFiltered: readJson(schemas.rewardsFiltered, metadata["rewards_filtered"]),
    uncountedRewards: readJson(schemas.uncountedRewards, metadata["uncounted_rewards"]),
  };
}

/** Maximum number of names that are listed. */
const MAX_LISTED = 3;
const MAX_KEYS = 40;

/** Returns the metadata as pairs of a name and a text, without entries that other parts of a report show. */
export function describeMetadata(header: Header): (readonly [string, string])[] {
  const facts = readFacts(header);
  return Object.entries(header.metadata).flatMap(([name, text]) => {
    const lines = describeEntry(name, text, facts) ?? [shorten(text)];
    return lines.map((line, i) => [i === 0 ? name : "", line] as const);
  });
}

/** Returns the lines of an entry; undefined to show its text as it is. */
function describeEntry(name: string, text: string, facts: InspectedMetadata): string[] | undefined {
  switch (name) {
    case "rows":
      return [];
    case "row_codes":
      return facts.labels && [];
    case "config":
      return describeConfig(text);
    case "unrewarded_roots":
      return facts.unrewardedRoots && [describeRoots(facts.unrewardedRoots)];
    case "uncounted_rewards":
      return facts.uncountedRewards && [describeRows(facts.uncountedRewards)];
    case "rewards_missing":
      return facts.rewardsMissing && [describeSessions(facts.rewardsMissing)];
    case "rewards_filtered":
      return facts.rewardsFiltered && [describeSessions(facts.rewardsFiltered)];
    case "incomplete_calls":
      return facts.incompleteCalls && [describeCounts(facts.incompleteCalls)];
    case "aborted_calls":
      return facts.abortedCalls && [describeCounts(facts.abortedCalls)];
    case "left_out":
      return facts.leftOut && [describeLeftOut(facts.leftOut)];
    default:
      return undefined;
  }
}

function describeRoots({ count, first }: z.output<typeof schemas.unrewardedRoots>): string {
  const names = first.map(({ session_id, interaction_id }) => `${session_id} ${interaction_id}`);
  return count === 0 ? "none" : `${count}: ${shortenList(names, count)}`;
}

function describeRows({ rows, first }: z.output<typeof schemas.uncountedRewards>): string {
  return rows === 0 ? "none" : `${rows}: row ${shortenList(first.map(String), rows)}`;
}

function shortenList(names: readonly string[], count: number): string {
  const shown = names.slice(0, MAX_LISTED);
  return shown.join(", ") + (count > shown.length ? ", …" : "");
}

function describeSessions(ids: readonly string[]): string {
  return ids.length === 0 ? "none" : `${ids.length}: ${shortenList(ids, ids.length)}`;
}

/** Returns the sum of counts by session, and the first of them. */
function describeCounts(counts: Readonly<Record<string, number>>): string {
  const names = Object.entries(counts).map(([id, count]) => `${id} ${count}`);
  return names.length === 0 ? "none" : `${sumCounts(counts)}: ${shortenList(names, names.length)}`;
}

/** Returns the sum of counts by session. */
export function sumCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function describeLeftOut({ undelivered, retried }: z.output<typeof schemas.leftOut>): string {
  const reasons = [
    ...(undelivered > 0 ? [`${undelivered} undelivered`] : []),
    ...(retried > 0 ? [`${retried} retried`] : []),
  ];
  return reasons.join(", ") || "none";
}

/**
 * Returns one line per key; undefined if the text is not an object, such as the list of several workers'
 * configurations.
 */
function describeConfig(text: string): string[] | undefined {
  const config = readJson(z.record(z.string(), z.unknown()), text);
  if (!config) return undefined;
  return Object.entries(config)
    .slice(0, MAX_KEYS)
    .map(([key, value]) => shorten(`${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`));
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}… (${text.length} characters)` : text;
}
