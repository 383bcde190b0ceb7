import { closest } from "fastest-levenshtein";

/**
 * Returns the known name that an unknown one was most likely meant to be: one that it abbreviates or extends, else the one
 * with the fewest edits.
 *
 * @param known at least one name, in lower case
 */
export function nearestName(unknown: string, known: readonly string[]): string {
  const name = unknown.toLowerCase();
  return known.find((each) => isPart(name, each)) ?? closest(name, known);
}

/** `wait` and `wait_seconds`, `urls` and `url`. Shorter beginnings than three letters say nothing. */
export function isPart(name: string, known: string): boolean {
  return name.length > 2 && (known.startsWith(name) || name.startsWith(known));
}
