import type { FastifyBaseLogger } from "fastify";
import { type Config } from "../config/index.js";
import type { OutputFamilies } from "../model/output/family-lookup.js";
import type { JsonLimits } from "../native/contract.js";
import { SessionRegistry } from "../session/session-registry.js";
import type { ServerSettings } from "./context.js";
import { type StopReport } from "./drain.js";
import { type EngineReadiness } from "./engine-readiness.js";
import type { ModelWarning } from "./model-warnings.js";
import { type ServerStorage } from "./storage/server-storage.js";
export interface StartOptions {
    readonly adminKey: string;
    /** Default: no log. */
    readonly logger?: FastifyBaseLogger;
}
export interface RunningServer {
    readonly url: string;
    /** Address of `server.probe_port`. Undefined if it is not set. */
    readonly probeUrl: string | undefined;
    /** Name of this server in session keys and ids, if it has one. */
    readonly workerTag: string | undefined;
    /** Name of the served model. */
    readonly model: string;
    /** Absolute path of the model's folder. */
    readonly modelPath: string;
    /** The families by whose format the model's outputs are read. */
    readonly families: OutputFamilies;
    /** Limits of the server with this model, which the log has too. */
    readonly warnings: readonly ModelWarning[];
    /** Asks the engine servers whether they can serve calls. Takes some seconds if one does not answer. */
    readiness(): Promise<EngineReadiness>;
    /** Drains and then stops the server: see {@link drain}. Idempotent. */
    close(): Promise<StopReport>;
}
/** Starts the engine and the proxy of a configuration. Resolves when calls are accepted. */
export declare function startServer(config: Config, { adminKey, logger }: StartOptions): Promise<RunningServer>;
/** Returns an empty registry with the limits of the configuration. */
export declare function createRegistry(config: Config, adminKey: string, storage?: ServerStorage): SessionRegistry;
/** `messages`, `input` and `contents` are the conversation in the requests of the APIs. */
export declare function toJsonLimits({ server }: Config): JsonLimits;
/** Returns the settings of a server with this configuration. */
export declare function toServerSettings(config: Config, adminKey: string, modelName: string, env?: NodeJS.ProcessEnv): ServerSettings;
