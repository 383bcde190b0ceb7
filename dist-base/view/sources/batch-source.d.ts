import type { EpisodeLine } from "../../transcript/format.js";
import type { Overview, SearchResult, TokenRange, TokenSlice } from "../api.js";
import type { OpenSource } from "./open-source.js";
import type { TranscriptSourceOptions } from "./transcript-source.js";
/** Episodes of a tensor file without a transcript: one per session, with tokens and rewards but no messages. */
export declare class BatchSource implements OpenSource {
    #private;
    private constructor();
    /** @throws ViewError, SafetensorsError, ModelFolderError, or an error of the file system */
    static open(path: string, { model, notices }?: TranscriptSourceOptions): Promise<BatchSource>;
    overview(): Promise<Overview>;
    episode(index: number): Promise<EpisodeLine>;
    tokens(range: TokenRange): Promise<TokenSlice>;
    search(): Promise<SearchResult>;
    [Symbol.asyncDispose](): Promise<void>;
}
