import type { EpisodeLine } from "../../transcript/format.js";
import type { Overview, SearchResult, TokenRange, TokenSlice } from "../api.js";
import type { OpenSource } from "./open-source.js";
export interface TranscriptSourceOptions {
    /** Folder of the model whose tokenizer decodes tokens. Default: the job's, if it is still the same. */
    readonly model?: string | undefined;
    /** Notices for the user about the choice of the file. */
    readonly notices?: readonly string[];
}
/** Episodes of a transcript file, which may still grow. */
export declare class TranscriptSource implements OpenSource {
    #private;
    private constructor();
    /**
     * Opens a transcript. It is read while the page loads; requests wait for it.
     *
     * @throws TranscriptError, ModelFolderError, or an error of the file system
     */
    static open(path: string, options?: TranscriptSourceOptions): Promise<TranscriptSource>;
    overview(): Promise<Overview>;
    /** Waits until the transcript has changed, at most {@link WAIT_MS}. */
    changes(after: number, signal: AbortSignal): Promise<Overview>;
    episode(index: number): Promise<EpisodeLine>;
    tokens(range: TokenRange): Promise<TokenSlice>;
    search(text: string, signal: AbortSignal): Promise<SearchResult>;
    [Symbol.asyncDispose](): Promise<void>;
}
