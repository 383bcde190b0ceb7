import type { Command } from "commander";
/** Options of every command that reads a configuration, in addition to `key=value` arguments. */
export interface ConfigOptions {
    readonly config?: string;
}
/** Declares the configuration file and the overrides on a command. */
export declare function withConfigOptions(command: Command): Command;
