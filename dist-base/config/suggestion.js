import { distance } from "fastest-levenshtein";
import { configKeys, configSections } from "./key.js";
const KNOWN = [...configKeys.map(({ path }) => path), ...configSections];
/** New names of keys that were renamed, if another known key looks more similar. */
const RENAMED = new Map([["engine.connections", "engine.max_inflight"]]);
/**
 * Returns the known key to suggest for an unknown one: its new name if it was renamed, else the most similar key. Similarity
 * compares the last names first, then the whole paths.
 */
export function findNearestKey(unknown) {
    const renamed = RENAMED.get(unknown);
    if (renamed !== undefined)
        return renamed;
    let best = { path: "", score: Number.POSITIVE_INFINITY };
    for (const path of KNOWN) {
        const score = distance(lastPart(unknown), lastPart(path)) + distance(unknown, path) / 100;
        if (score < best.score)
            best = { path, score };
    }
    return best.path;
}
function lastPart(path) {
    return path.slice(path.lastIndexOf(".") + 1);
}
//# sourceMappingURL=suggestion.js.map