import type { EpisodeLine, Source } from "../api.js";
import type { EmbeddedTokens } from "../embedded-format.js";
/** Returns the tokens of an episode in the form of an HTML file; undefined if there are none. */
export declare function embedTokens(source: Source, episode: number, { interactions }: EpisodeLine): Promise<EmbeddedTokens | undefined>;
