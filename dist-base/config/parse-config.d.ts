import { type ConfigProblem } from "./errors.js";
import type { Config } from "./schema/sections.js";
/**
 * Checks a configuration and fills in the defaults.
 *
 * @param written nested maps from YAML or JSON; may use `rollout.compat`, and a single value instead of a list
 * @throws {@link ConfigError} `config_invalid` with everything that is wrong, including unknown keys
 */
export declare function parseConfig(written: unknown): Config;
/** Like {@link parseConfig}, for a normalized value. The error includes `problems` that were found before. */
export declare function checkConfig(value: unknown, problems: readonly ConfigProblem[]): Config;
