import type { Config } from "./schema/sections.js";
/** Keys that a command does not use, and the reason. A prefix is a key, or a section with its dot. */
export interface UnusedKeys {
    readonly prefixes: readonly string[];
    /** Whole keys, for a key that begins like one that the command uses. */
    readonly keys?: readonly string[];
    /** The end of the sentence "has no effect: …". */
    readonly reason: string;
}
/** Keys that a single server does not use. */
export declare const UNUSED_BY_SERVE: readonly UnusedKeys[];
/** Returns the keys that `rolltape serve` does not use with this configuration. */
export declare function unusedByServe({ server, storage }: Config): readonly UnusedKeys[];
export declare const UNUSED_BY_GATEWAY: readonly UnusedKeys[];
export declare const UNUSED_BY_WORKER: readonly UnusedKeys[];
export declare const UNUSED_BY_JOB: readonly UnusedKeys[];
/** Returns the keys of `storage` that a server with this configuration does not use. */
export declare function unusedByStorage({ storage: { directory, durability } }: Config): UnusedKeys[];
/**
 * Refuses keys of `storage` without effect, also those of a file, because whoever sets them expects that sessions are stored. A
 * gateway does not call this: it may share a file with servers whose folders are arguments.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export declare function refuseUnusedStorage(config: Config): void;
/**
 * Refuses `key=value` arguments with keys that the command does not use. Keys in a file are accepted, because commands
 * share files.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export declare function refuseUnused(overrides: readonly string[], unused: readonly UnusedKeys[]): void;
/** Returns the arguments that have an effect on the command. */
export declare function withoutUnused(overrides: readonly string[], unused: readonly UnusedKeys[]): string[];
