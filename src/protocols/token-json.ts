/** Returns the text and the bytes of one token of a vocabulary. */
export interface TokenTexts {
  /** Returns the text of one token. An incomplete character becomes U+FFFD. */
  readonly tokenText: (id: number) => string;
  /** Returns the UTF-8 bytes that one token adds to the text. */
  readonly tokenBytes: (id: number) => Uint8Array;
}

/** Maximum number of tokens whose fields are cached. They take a few megabytes. */
const MAX_KNOWN = 1 << 15;

/** The fields of an entry before and after its log probability. */
type Fields = readonly [before: string, after: string];

/**
 * Writes the entries of log probabilities. The fields that depend on the token alone are cached: the same tokens occur again and
 * again, and decoding one takes ten times as long as writing the rest of its entry.
 */
export class TokenJson {
  readonly #texts: TokenTexts;
  readonly #asIds: boolean;
  readonly #known = new Map<number, Fields>();
  readonly #candidates = new Map<number, string>();

  /**
   * @param asIds true: entries name tokens by their ids instead of their text, in both of vLLM's forms: `"token":"token_id:7"` of its
   *   chat completions, and `"token_id":7` of its `/inference/v1/generate`
   */
  constructor(texts: TokenTexts, asIds = false) {
    this.#texts = texts;
    this.#asIds = asIds;
  }

  /** Returns the entry of one token without its closing brace. */
  writeEntry(id: number, logprob: number): string {
    const [before, after] = this.#known.get(id) ?? this.#learn(id);
    // Like `JSON.stringify`, which takes longer.
    return before + (Number.isFinite(logprob) ? logprob : "null") + after;
  }

  /** Returns the name of one token as JSON. */
  writeName(id: number): string {
    return this.#asIds ? `"token_id:${id}"` : JSON.stringify(this.#texts.tokenText(id));
  }

  /** Returns the entry of one token in the shape of Gemini's API. */
  writeCandidate(id: number, logprob: number): string {
    const before = this.#candidates.get(id) ?? this.#learnCandidate(id);
    return `${before}${Number.isFinite(logprob) ? logprob : "null"}}`;
  }

  #learnCandidate(id: number): string {
    const before = `{"token":${JSON.stringify(this.#texts.tokenText(id))},"tokenId":${id},"logProbability":`;
    if (this.#candidates.size >= MAX_KNOWN) this.#candidates.clear();
    this.#candidates.set(id, before);
    return before;
  }

  #learn(id: number): Fields {
    const named = `{"token":${this.writeName(id)},${this.#asIds ? `"token_id":${id},` : ""}"logprob":`;
    const fields = [named, `,"bytes":[${this.#texts.tokenBytes(id).join(",")}]`] as const;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(id, fields);
    return fields;
  }
}
