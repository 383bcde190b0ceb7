/** One key of the configuration, for its documentation and error messages. */
export interface ConfigKey {
    /** Dotted, as on the command line: `rollout.agent.turn_discount`. */
    readonly path: string;
    /** The allowed values as a phrase, such as "an integer from 0 to 65535". */
    readonly expected: string;
    readonly defaultValue: unknown;
    readonly description: string;
    /** True for free text, whose spelling is kept even if it looks like a number. */
    readonly isText: boolean;
    /** The allowed entries of a list, as a phrase; undefined if the key is not a list. */
    readonly expectedEntry: string | undefined;
    /** True for values that are never shown. */
    readonly isSecret: boolean;
}
/** Every key that holds a value, in the order of the schema. */
export declare const configKeys: readonly ConfigKey[];
/** The keys that contain other keys: `server`, `rollout`, `rollout.agent`, …. */
export declare const configSections: readonly string[];
/** Returns the key at a dotted path, which may begin with `rollout.compat` instead of `rollout.agent`. */
export declare function findKey(path: string): ConfigKey | undefined;
