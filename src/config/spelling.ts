import { isDeepStrictEqual } from "node:util";
import type { ConfigProblem } from "./errors.js";
import { configSections, findKey } from "./key.js";
import { isPlainMap, mapLeaves, merge, type PlainMap, readOwn } from "./tree.js";

/** A configuration in the spelling that the schema reads. */
export interface NormalizedConfig {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Normalizes what users may write in several ways: `rollout.compat` becomes `rollout.agent`, an empty section becomes a
 * map without keys, and a single value becomes a list if its key is a list.
 */
export function normalizeSpelling(written: unknown): NormalizedConfig {
  const { value, problems } = joinCompat(written);
  const sections = new Set(configSections);
  const normalized = mapLeaves(value, (leaf, path) => {
    if (leaf === null && (path === "" || sections.has(path))) return {};
    const isSingle = leaf !== null && !Array.isArray(leaf);
    return isSingle && findKey(path)?.expectedEntry !== undefined ? [leaf] : leaf;
  });
  return { value: normalized, problems };
}

/** Merges `rollout.compat` into `rollout.agent`. A key that both have must have the same value. */
function joinCompat(written: unknown): NormalizedConfig {
  if (!isPlainMap(written)) return { value: written, problems: [] };
  const rollout = readOwn(written, "rollout");
  if (!isPlainMap(rollout) || !Object.hasOwn(rollout, "compat")) return { value: written, problems: [] };
  const { compat, ...rest } = rollout;
  const agent = readOwn(rollout, "agent") ?? {};
  const problems = isPlainMap(compat) && isPlainMap(agent) ? findConflicts(agent, compat) : [];
  const joined = { ...rest, agent: merge(agent, compat ?? {}) };
  return { value: { ...written, rollout: joined }, problems };
}

function findConflicts(agent: PlainMap, compat: PlainMap): ConfigProblem[] {
  return Object.keys(compat)
    .filter((key) => Object.hasOwn(agent, key) && !isDeepStrictEqual(agent[key], compat[key]))
    .map((key) => ({
      path: `rollout.agent.${key}`,
      message: `conflicts with rollout.compat.${key}, which is the same key and has another value`,
    }));
}
