/**
 * Markers that end what is being read. Those that are tokens of the vocabulary are found by id, others by their text.
 */
export class Markers {
  readonly #tokens: ReadonlySet<string>;
  readonly #texts: readonly string[];
  readonly #firstCharacters: ReadonlySet<string>;
  readonly #longest: number;

  /** @param isToken whether an added token of the vocabulary is spelled so */
  constructor(spellings: readonly string[], isToken: (spelling: string) => boolean) {
    this.#tokens = new Set(spellings.filter(isToken));
    this.#texts = spellings.filter((spelling) => !this.#tokens.has(spelling));
    this.#firstCharacters = new Set(this.#texts.map((text) => text.charAt(0)));
    this.#longest = Math.max(0, ...this.#texts.map((text) => text.length));
  }

  hasToken(spelling: string): boolean {
    return this.#tokens.has(spelling);
  }

  /**
   * Finds the first marker of a text; of several at one place, the longest. Otherwise finds where a marker may begin.
   *
   * @param whole the text is complete: nothing will be added to it
   */
  search(text: string, whole: boolean): { readonly at: number; readonly marker: string | undefined } {
    let at = text.length;
    let marker: string | undefined;
    for (const each of this.#texts) {
      const index = text.indexOf(each);
      if (index < 0 || index > at || (index === at && each.length <= (marker?.length ?? 0))) continue;
      [at, marker] = [index, each];
    }
    return whole ? { at, marker } : this.#held(text, at, marker);
  }

  /** At the end of the text a longer marker, or an earlier one, may be incomplete. */
  #held(text: string, found: number, marker: string | undefined) {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at++) {
      if (marker !== undefined && at > found) break;
      if (this.#firstCharacters.has(text.charAt(at)) && this.#mayBegin(text.slice(at)))
        return { at, marker: undefined };
    }
    return { at: found, marker };
  }

  #mayBegin(rest: string): boolean {
    return this.#texts.some((text) => text.length > rest.length && text.startsWith(rest));
  }
}
