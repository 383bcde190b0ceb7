import { isDeepStrictEqual } from "node:util";
import { configSections, findKey } from "./key.js";
import { isPlainMap, mapLeaves, merge, readOwn } from "./tree.js";
/**
 * Normalizes what users may write in several ways: `rollout.compat` becomes `rollout.agent`, an empty section becomes a
 * map without keys, and a single value becomes a list if its key is a list.
 */
export function normalizeSpelling(written) {
    const { value, problems } = joinCompat(written);
    const sections = new Set(configSections);
    const normalized = mapLeaves(value, (leaf, path) => {
        if (leaf === null && (path === "" || sections.has(path)))
            return {};
        const isSingle = leaf !== null && !Array.isArray(leaf);
        return isSingle && findKey(path)?.expectedEntry !== undefined ? [leaf] : leaf;
    });
    return { value: normalized, problems };
}
/** Merges `rollout.compat` into `rollout.agent`. A key that both have must have the same value. */
function joinCompat(written) {
    if (!isPlainMap(written))
        return { value: written, problems: [] };
    const rollout = readOwn(written, "rollout");
    if (!isPlainMap(rollout) || !Object.hasOwn(rollout, "compat"))
        return { value: written, problems: [] };
    const { compat, ...rest } = rollout;
    const agent = readOwn(rollout, "agent") ?? {};
    const problems = isPlainMap(compat) && isPlainMap(agent) ? findConflicts(agent, compat) : [];
    const joined = { ...rest, agent: merge(agent, compat ?? {}) };
    return { value: { ...written, rollout: joined }, problems };
}
function findConflicts(agent, compat) {
    return Object.keys(compat)
        .filter((key) => Object.hasOwn(agent, key) && !isDeepStrictEqual(agent[key], compat[key]))
        .map((key) => ({
        path: `rollout.agent.${key}`,
        message: `conflicts with rollout.compat.${key}, which is the same key and has another value`,
    }));
}
//# sourceMappingURL=spelling.js.map