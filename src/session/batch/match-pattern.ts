/**
 * Returns true if a pattern matches a whole text. `*` stands for any text; every other character for itself.
 *
 * The time is at most the product of both lengths. A regular expression with several `.*` has no such bound.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  /** Place in the pattern after the last star, and where the text that this star stands for ends. */
  let afterStar = -1;
  let starEnd = 0;
  while (at < text.length) {
    // The star is tested first, because the text may have one, too.
    if (pattern[next] === "*") {
      afterStar = ++next;
      starEnd = at;
    } else if (pattern[next] === text[at]) {
      at++;
      next++;
    } else if (afterStar >= 0) {
      // The star takes one more character.
      next = afterStar;
      at = ++starEnd;
    } else {
      return false;
    }
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
