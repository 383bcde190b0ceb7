import { distance } from "fastest-levenshtein";
import { configKeys, configSections } from "./key.js";

const KNOWN = [...configKeys.map(({ path }) => path), ...configSections];

/** Returns the known key that is most similar to an unknown one: first by its last name, then by its whole path. */
export function findNearestKey(unknown: string): string {
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
