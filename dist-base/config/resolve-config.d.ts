import type { Config } from "./schema/sections.js";
/** The sources of a configuration. Overrides take precedence over the file, and the file over the defaults. */
export interface ConfigSources {
    /** Path of a YAML file. */
    readonly file?: string | undefined;
    /** `key=value` arguments. */
    readonly overrides?: readonly string[];
    /** Environment variables; `process.env` by default. */
    readonly env?: NodeJS.ProcessEnv;
}
/**
 * Merges a configuration from its sources and checks it.
 *
 * @throws {@link ConfigError} `config_unreadable` or `config_syntax` for the file, else `config_invalid` with
 * everything that is wrong in the file, the overrides and the environment
 */
export declare function resolveConfig({ file, overrides, env }?: ConfigSources): Config;
