import type { EpisodeLine, IndexLine, InteractionsSummary, RunLine, TranscriptLine } from "./format.js";
export interface WriterOptions {
    /** Goes on at the end of the file if it is a transcript. */
    readonly resume: boolean;
}
/** An episode with the JSON of its interactions, on one line. */
export interface WrittenEpisode {
    readonly head: Omit<EpisodeLine, "interactions">;
    readonly interactions: Uint8Array;
    readonly summary: InteractionsSummary;
}
/**
 * Writes a transcript and its index. The lines of a call are written together while those of the next calls gather, each file through
 * one open descriptor. A write error ends the transcript: later lines are dropped.
 */
export declare class TranscriptWriter {
    #private;
    readonly path: string;
    private constructor();
    /**
     * Creates the files, in place of those of an earlier job. With `resume`, goes on in them: a torn last line is cut, and the index is
     * written anew.
     *
     * @throws an error of the file system
     */
    static open(path: string, run: RunLine, { resume }: WriterOptions): Promise<TranscriptWriter>;
    /** The lines that the file had when it was opened. */
    get earlier(): readonly IndexLine[];
    /** Why the transcript has ended early; undefined if it has not. */
    get failure(): Error | undefined;
    /** Adds a line. Resolves when it is written, or dropped because of an error. */
    write(line: TranscriptLine): Promise<void>;
    /** Adds an episode whose interactions are JSON already. Like {@link write} otherwise. */
    writeEpisode({ head, interactions, summary }: WrittenEpisode): Promise<void>;
    /** Waits for what was added, and closes the files. */
    close(): Promise<void>;
}
