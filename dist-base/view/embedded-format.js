/**
 * Format of the data in an HTML file of `rolltape view --html`. Each block is
 *
 *     <script type="application/json" id="ID">"BASE64"</script>
 *
 * where BASE64 is base64 (RFC 4648 §4, with padding) of a gzip stream of JSON in UTF-8. The quotes are part of the
 * block: its text is a JSON string, and nothing of a transcript is ever markup. The blocks stand before the script of
 * the page. A block is decompressed when it is needed.
 *
 * | ID | JSON |
 * |---|---|
 * | `rolltape-overview` | {@link Overview}; its presence tells the page that its data is inside |
 * | `rolltape-episode-<index>` | {@link EpisodeLine}; an episode without this block is listed, but cannot be opened |
 * | `rolltape-tokens-<index>` | {@link EmbeddedTokens}; absent if the tokens were left out |
 */
export const OVERVIEW_BLOCK = "rolltape-overview";
export const episodeBlock = (index) => `rolltape-episode-${index}`;
export const tokensBlock = (index) => `rolltape-tokens-${index}`;
//# sourceMappingURL=embedded-format.js.map