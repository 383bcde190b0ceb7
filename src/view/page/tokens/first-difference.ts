import type { TokenText } from "../../api.js";

/** Returns the position of the first token that differs; the length of the shorter list if the other begins with it. */
export function firstDifference(a: readonly TokenText[], b: readonly TokenText[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (a[at]?.id !== b[at]?.id) return at;
  return length;
}
