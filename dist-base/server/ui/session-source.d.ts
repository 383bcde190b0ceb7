import type { ChatModel } from "../../model/chat-model.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { EpisodeLine } from "../../transcript/format.js";
import type { Overview, SearchResult, Source, TokenRange, TokenSlice } from "../../view/api.js";
export interface SessionSourceOptions {
    readonly registry: SessionRegistry;
    readonly model: ChatModel;
    /** Name of the model that is served. */
    readonly modelName: string;
}
/** The sessions that a server has, as episodes: active, ended, and exported but retained. */
export declare class SessionSource implements Source {
    #private;
    constructor({ registry, model, modelName }: SessionSourceOptions);
    overview(): Promise<Overview>;
    changes(after: number, signal: AbortSignal): Promise<Overview>;
    episode(index: number): Promise<EpisodeLine>;
    tokens(range: TokenRange): Promise<TokenSlice>;
    /** Searches the sessions in memory, newest first. */
    search(text: string, signal: AbortSignal): Promise<SearchResult>;
}
