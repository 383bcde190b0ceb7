import type { FastifyBaseLogger } from "fastify";
import type { Engine } from "../engine/engine.js";
import type { App } from "../http/app-type.js";
import type { ChatModel } from "../model/chat-model.js";
import type { SessionRegistry } from "../session/session-registry.js";
import type { ServerContext, ServerSettings } from "./context.js";
import { CurrentVersion } from "./current-version.js";
import { type ServerStorage } from "./storage/server-storage.js";
export interface ServerOptions {
    readonly registry: SessionRegistry;
    readonly engine: Engine;
    readonly model: ChatModel;
    readonly settings: ServerSettings;
    /** Default: no version is set, and it is not shared with other servers. */
    readonly weightVersion?: CurrentVersion;
    /** Where the sessions of the registry are stored. */
    readonly storage?: ServerStorage | undefined;
    readonly logger?: FastifyBaseLogger;
}
/** Creates the proxy as a Fastify application that does not listen yet. Closing it does not close the engine. */
export declare function createServer({ logger, weightVersion, ...options }: ServerOptions): Promise<{
    app: App;
    context: ServerContext;
}>;
