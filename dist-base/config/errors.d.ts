import { CodedError } from "../support/coded-error.js";
/**
 * - `config_unreadable`: the file cannot be read.
 * - `config_syntax`: the file is not YAML.
 * - `config_invalid`: a key is unknown, or its value is not allowed.
 */
export type ConfigErrorCode = "config_unreadable" | "config_syntax" | "config_invalid";
/** One problem of a configuration. */
export interface ConfigProblem {
    /** The full path of the key, the file or the argument at fault. */
    readonly path: string;
    readonly message: string;
}
/** The configuration is invalid. `problems` lists everything that is wrong. Values of secret keys are not shown. */
export declare class ConfigError extends CodedError<ConfigErrorCode> {
    readonly name = "ConfigError";
    readonly problems: readonly ConfigProblem[];
    constructor(code: ConfigErrorCode, problems: readonly ConfigProblem[], options?: ErrorOptions);
}
