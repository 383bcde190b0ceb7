/**
 * Returns true if a pattern matches a whole text. `*` stands for any characters, every other character for itself.
 *
 * The time is at most the product of both lengths. A regular expression with several `.*` has no such bound.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  /** Index in the pattern after the last star, and index in the text where the star's match ends. */
  let afterStar = -1;
  let starEnd = 0;
  while (at < text.length) {
    // The star is tested first, because the text itself may contain a star.
    if (pattern[next] === "*") {
      afterStar = ++next;
      starEnd = at;
    } else if (pattern[next] === text[at]) {
      at++;
      next++;
    } else if (afterStar >= 0) {
      // Extend the star's match by one character.
      next = afterStar;
      at = ++starEnd;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
