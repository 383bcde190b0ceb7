import { type Config } from "../config/index.js";
import { type Engine } from "../engine/engine.js";
import { type FolderChatModel } from "../model/load-chat-model.js";
/**
 * Opens the engine and the chat model that the configuration names.
 *
 * @throws ConfigError that names `model.path` or `engine.model` if there is no usable model
 */
export declare function openEngine(config: Config, onWarning?: (message: string) => void): Promise<{
    engine: Engine;
    model: FolderChatModel;
}>;
/** Returns the folder of the configured model; undefined if there is none. */
export declare function findModelFolder(config: Pick<Config, "engine" | "model">): Promise<string | undefined>;
/** Returns the engine if it consists of servers; undefined if it runs in this process. */
export declare function openServers({ engine }: Config, onWarning?: (message: string) => void): Engine | undefined;
