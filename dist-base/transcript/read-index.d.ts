import type { EpisodeLine, IndexLine, Place } from "./format.js";
/** Name of the index of a transcript. */
export declare const indexFileOf: (transcript: string) => string;
export interface Refreshed {
    /** Number of lines that were added to `lines`. */
    readonly added: number;
    /** True if another job has replaced the file or the file was cut: close this transcript, and open it again. */
    readonly replaced: boolean;
}
/**
 * An open transcript and its index. Lines that the index file lacks, because it is missing, torn or older, are read from the
 * transcript itself. The index file is never written here.
 */
export declare class Transcript implements AsyncDisposable {
    #private;
    readonly path: string;
    private constructor();
    /** @throws TranscriptError `not_a_transcript` or `unsupported_format`; or an error of the file system */
    static open(path: string): Promise<Transcript>;
    /** Opens a transcript whose lines are read by the first {@link refresh}. Throws like {@link open}. */
    static openUnread(path: string): Promise<Transcript>;
    /** In the order of the transcript. Grows with {@link refresh}. */
    get lines(): readonly IndexLine[];
    /** Position after the last complete line. */
    get end(): number;
    /** True if every line so far came from the index file. */
    get isIndexed(): boolean;
    /** Lines that were skipped because they cannot be read, with the reason: at most 100. */
    get problems(): readonly string[];
    /** Reads the lines that were written since the last time. Call it again only when it has resolved. */
    refresh(): Promise<Refreshed>;
    /**
     * Reads an episode with its texts.
     *
     * @throws TranscriptError `line_too_long` or `invalid_line`
     */
    readEpisode(place: Place, maxBytes?: number): Promise<EpisodeLine>;
    [Symbol.asyncDispose](): Promise<void>;
}
