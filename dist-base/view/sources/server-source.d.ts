import type { EpisodeLine } from "../../transcript/format.js";
import type { Overview, SearchResult, TokenRange, TokenSlice } from "../api.js";
import type { OpenSource } from "./open-source.js";
/** Episodes of a running server. Its admin key stays in this process: the page never has it. */
export declare class ServerSource implements OpenSource {
    #private;
    /** @param url address of the server, such as `http://127.0.0.1:8090` */
    constructor(url: string, adminKey: string);
    /**
     * Checks that the server answers.
     *
     * @throws ViewError
     */
    check(): Promise<void>;
    overview(): Promise<Overview>;
    changes(after: number, signal: AbortSignal): Promise<Overview>;
    episode(index: number): Promise<EpisodeLine>;
    tokens({ episode, interaction, from, count }: TokenRange): Promise<TokenSlice>;
    search(text: string, signal: AbortSignal): Promise<SearchResult>;
    [Symbol.asyncDispose](): Promise<void>;
}
