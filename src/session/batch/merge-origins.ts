import { SessionError } from "../errors.js";
import type { BatchOrigin } from "./batch-metadata.js";

/**
 * Returns the origin of a batch with sessions of several servers.
 *
 * @returns undefined if `origins` is empty
 * @throws SessionError `batch_not_exportable` if the servers have different tokenizers or chat templates, because a token id would mean
 * different texts in one batch
 */
export function mergeOrigins(origins: readonly BatchOrigin[]): BatchOrigin | undefined {
  const [first] = origins;
  if (!first || origins.length === 1) return first;
  const model = [...new Set(origins.map((origin) => origin.model))].join(", ");
  if (origins.some(({ modelDigest }) => modelDigest !== first.modelDigest)) {
    const message = `The servers of these sessions have models with different tokenizers or chat templates (${model}). Export the sessions of each server separately.`;
    throw new SessionError("batch_not_exportable", message, { param: "sessionIds" });
  }
  const configs = new Map(origins.flatMap(({ config }) => config).map((config) => [JSON.stringify(config), config]));
  const [config = {}] = configs.values();
  return {
    model,
    modelDigest: first.modelDigest,
    config: configs.size > 1 ? [...configs.values()] : config,
    versionLabels: mergeLabels(origins),
    channels: mergeChannels(origins),
  };
}

/** Returns the entries that are the same on all servers that have them. */
function mergeChannels(origins: readonly BatchOrigin[]): NonNullable<BatchOrigin["channels"]> {
  const entries = origins.flatMap(({ channels }) => Object.entries(channels ?? {}));
  const differs = ([name, value]: [string, unknown]) =>
    entries.some(([other, otherValue]) => other === name && JSON.stringify(otherValue) !== JSON.stringify(value));
  return Object.fromEntries(entries.filter((entry) => !differs(entry)));
}

function mergeLabels(origins: readonly BatchOrigin[]): NonNullable<BatchOrigin["versionLabels"]> {
  const merged = new Map<string, Set<number>>();
  for (const [label, version] of origins.flatMap(({ versionLabels }) => Object.entries(versionLabels ?? {}))) {
    const versions = merged.get(label) ?? new Set();
    for (const each of [version].flat()) versions.add(each);
    merged.set(label, versions);
  }
  return Object.fromEntries(
    [...merged].map(([label, versions]) => {
      const [only = 0, ...others] = versions;
      return [label, others.length === 0 ? only : [only, ...others]];
    }),
  );
}
