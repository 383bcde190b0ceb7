import { isDeepStrictEqual } from "node:util";
import type { ConfigProblem } from "./errors.js";
import { configSections, findKey } from "./key.js";
import { isPlainMap, mapLeaves, merge, own, type PlainMap } from "./tree.js";

/** A configuration in its one spelling, as the schema reads it. */
export interface Spelled {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Brings what users may write in several ways into one: `rollout.compat` becomes `rollout.agent`, an empty section
 * a map without keys, a single value of a list a list of one.
 */
export function normalizeSpelling(written: unknown): Spelled {
  const { value, problems } = joinCompat(written);
  const sections = new Set(configSections);
  const normalized = mapLeaves(value, (leaf, path) => {
    if (leaf === null && (path === "" || sections.has(path))) return {};
    const isSingle = leaf !== null && !Array.isArray(leaf);
    return isSingle && findKey(path)?.expectedEntry !== undefined ? [leaf] : leaf;
  });
  return { value: normalized, problems };
}

/** Merges `rollout.compat` into `rollout.agent`. A key that both have must have one value. */
function joinCompat(written: unknown): Spelled {
  if (!isPlainMap(written)) return { value: written, problems: [] };
  const rollout = own(written, "rollout");
  if (!isPlainMap(rollout) || !Object.hasOwn(rollout, "compat")) return { value: written, problems: [] };
  const { compat, ...rest } = rollout;
  const agent = own(rollout, "agent") ?? {};
  const problems = isPlainMap(compat) && isPlainMap(agent) ? conflicts(agent, compat) : [];
  const joined = { ...rest, agent: merge(agent, compat ?? {}) };
  return { value: { ...written, rollout: joined }, problems };
}

function conflicts(agent: PlainMap, compat: PlainMap): ConfigProblem[] {
  return Object.keys(compat)
    .filter((key) => Object.hasOwn(agent, key) && !isDeepStrictEqual(agent[key], compat[key]))
    .map((key) => ({
      path: `rollout.agent.${key}`,
      message: `has another value as rollout.compat.${key}, which is the same key`,
    }));
}
