import { distance } from "fastest-levenshtein";
import { configKeys, configSections } from "./key.js";

const KNOWN = [...configKeys.map(({ path }) => path), ...configSections];

/** Keys of earlier versions whose new name is not the most similar one. */
const RENAMED = new Map([["engine.connections", "engine.max_inflight"]]);

/**
 * Returns the known key that an unknown one stands for: its new name if it was renamed, else the key that is most similar,
 * first by its last name, then by its whole path.
 */
export function findNearestKey(unknown: string): string {
  const renamed = RENAMED.get(unknown);
  if (renamed !== undefined) return renamed;
  let best = { path: "", score: Number.POSITIVE_INFINITY };
  for (const path of KNOWN) {
    const score = distance(lastPart(unknown), lastPart(path)) + distance(unknown, path) / 100;
    if (score < best.score) best = { path, score };
  }
  return best.path;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
