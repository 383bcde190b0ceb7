import type { Source } from "../api.js";
import type { PageFiles } from "../http/page-files.js";
export declare const DEFAULT_MAX_BYTES = 50000000;
/** Size and content of a written HTML file. */
export interface WrittenHtml {
    readonly bytes: number;
    /** Numbers of episodes: listed, with messages, with tokens. */
    readonly episodes: number;
    readonly readable: number;
    readonly withTokens: number;
}
/**
 * Writes everything that a source has into one HTML file, which only its owner may read. If it does not fit, the tokens of the
 * longest episodes are left out, and then the messages of the longest episodes. The overview lists all of them.
 *
 * @throws ViewError if not even the overview fits
 */
export declare function writeHtml(path: string, source: Source, page: PageFiles, maxBytes?: number): Promise<WrittenHtml>;
