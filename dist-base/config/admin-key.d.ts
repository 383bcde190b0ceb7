import type { Config } from "./schema/sections.js";
/** The admin key of a server, and the file in which its user finds it. */
export interface AdminKey {
    readonly key: string;
    /**
     * File to which the caller must write a random key with {@link writeKeyFile}. Absent for a key that the user chose.
     */
    readonly file?: string;
}
/**
 * Returns the admin key: from the configuration, else from the environment, else a random one. It writes no file,
 * because a server that cannot listen must not replace the key file of the server that does.
 *
 * @throws {@link ConfigError} if the key in the environment is invalid
 */
export declare function resolveAdminKey(config: Config, env: NodeJS.ProcessEnv): AdminKey;
/**
 * Returns the admin key that the user chose: from the configuration, else from the environment; undefined if there is none.
 *
 * @throws {@link ConfigError} if the key in the environment is invalid
 */
export declare function readAdminKey(config: Config, env: NodeJS.ProcessEnv): string | undefined;
/**
 * Returns the admin key in the environment. An empty variable counts as absent.
 *
 * @throws {@link ConfigError} if the configuration would refuse the key
 */
export declare function readEnvironmentKey(env: NodeJS.ProcessEnv): string | undefined;
