/**
 * Follows a text character by character and knows how much of a pattern the text ends with (Knuth, Morris and Pratt).
 */
export class PrefixMatcher {
  readonly pattern: string;
  /** For each length, the longest shorter beginning of the pattern that ends a beginning of that length. */
  readonly #fallback: Int32Array;
  #matched = 0;

  /** @param pattern not empty */
  constructor(pattern: string) {
    this.pattern = pattern;
    this.#fallback = new Int32Array(pattern.length + 1);
    for (let length = 2, border = 0; length <= pattern.length; length++) {
      const code = pattern.charCodeAt(length - 1);
      while (border > 0 && pattern.charCodeAt(border) !== code) border = this.#fallback[border] ?? 0;
      if (pattern.charCodeAt(border) === code) border++;
      this.#fallback[length] = border;
    }
  }

  /** Length of the longest beginning of the pattern that the text ends with; shorter than the pattern. */
  get matched(): number {
    return this.#matched;
  }

  /** Takes the next UTF-16 code unit. Returns whether the text now ends with the whole pattern. */
  step(code: number): boolean {
    let matched = this.#matched;
    while (matched > 0 && this.pattern.charCodeAt(matched) !== code) matched = this.#fallback[matched] ?? 0;
    if (this.pattern.charCodeAt(matched) === code) matched++;
    const whole = matched === this.pattern.length;
    this.#matched = whole ? (this.#fallback[matched] ?? 0) : matched;
    return whole;
  }
}
