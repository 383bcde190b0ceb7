import { closest } from "fastest-levenshtein";

/**
 * Returns the known name that was most likely meant by an unknown one: a name that it abbreviates or extends, else the
 * one at the smallest edit distance.
 *
 * @param known at least one name, in lower case
 */
export function nearestName(unknown: string, known: readonly string[]): string {
  const name = unknown.toLowerCase();
  return known.find((each) => isPart(name, each)) ?? closest(name, known);
}

/**
 * Returns true if one name begins with the other, as `wait_seconds` with `wait`. A `name` under three letters never
 * matches.
 */
export function isPart(name: string, known: string): boolean {
  return name.length > 2 && (known.startsWith(name) || name.startsWith(known));
}
