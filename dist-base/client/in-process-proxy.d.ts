import type { Server } from "node:http";
import { type Config } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
/** A proxy that does not listen, and its admin key. */
export interface InProcessProxy {
    readonly app: {
        readonly server: Server;
    };
    readonly adminKey: string;
}
export interface EngineOptions {
    /** An engine from `createSglangEngine` or a similar function. The caller closes it. */
    readonly engine: Engine;
    /** Tokenizer and chat template of the engine's model, from `loadChatModel`. The caller closes it. */
    readonly tokenizer: ChatModel;
    /** Its `rollout.agent`, `server` and `model.name` apply as in a server. By default every key has its default. */
    readonly config?: Config | undefined;
}
/** Returns the proxy of this engine, tokenizer and configuration. The first call creates it. */
export declare function inProcessProxy({ engine, tokenizer, config }: EngineOptions): Promise<InProcessProxy>;
