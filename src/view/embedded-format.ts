import type { Overview, TokenChannel, TokenImage, TokenSlice } from "./api.js";

/**
 * Format of the data in an HTML file of `rolltape view --html`. Each block is
 *
 *     <script type="application/json" id="ID">"BASE64"</script>
 *
 * where BASE64 is base64 (RFC 4648 §4, with padding) of a gzip stream of JSON in UTF-8. The quotes are part of the
 * block: its text is a JSON string, and nothing of a transcript is ever markup. The blocks stand before the script of
 * the page. A block is decompressed when it is needed. The block of an image is the base64 of its file, without gzip and JSON.
 *
 * | ID | JSON |
 * |---|---|
 * | `rolltape-overview` | list of {@link Overview}, one for each page; its presence tells the page that its data is inside |
 * | `rolltape-episode-<index>` | {@link EpisodeLine}; an episode without this block is listed, but cannot be opened |
 * | `rolltape-tokens-<index>` | {@link EmbeddedTokens}; absent if the tokens were left out |
 * | `rolltape-image-<sha256>` | the file of an image; absent if it was left out |
 */
export const OVERVIEW_BLOCK = "rolltape-overview";
export const episodeBlock = (index: number): string => `rolltape-episode-${index}`;
export const tokensBlock = (index: number): string => `rolltape-tokens-${index}`;
export const imageBlock = (sha256: string): string => `rolltape-image-${sha256}`;

export type EmbeddedOverview = readonly Overview[];

/** Tokens of an episode. Ids and texts recur, so they are stored once. */
export interface EmbeddedTokens {
  /** Distinct pairs of id and text; `texts` is null if the tokenizer was not known. */
  readonly ids: readonly number[];
  readonly texts: readonly string[] | null;
  /** By interaction; null if the tokens of one could not be read. */
  readonly interactions: readonly (EmbeddedInteractionTokens | null)[];
}

/** The interaction's own tokens, as in {@link TokenSlice}. */
export interface EmbeddedInteractionTokens {
  /** One position in `ids` and `texts` per token. */
  readonly tokens: readonly number[];
  readonly output_start: number;
  /** One value per output token; four decimals are enough. */
  readonly logprobs: readonly number[];
  /** Runs of equal values over all own tokens: value, length, value, length, … */
  readonly loss_mask: readonly number[];
  /** Runs over the output tokens. */
  readonly versions: readonly number[];
  readonly temperature: number;
  /**
   * With columns over all own tokens; four decimals of log probabilities. Channels whose items have several values have no values here:
   * they take too much space.
   */
  readonly channels: readonly TokenChannel[];
  readonly images: readonly TokenImage[];
  readonly difference?: TokenSlice["difference"];
}
