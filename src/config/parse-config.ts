import { ConfigError, type ConfigProblem } from "./errors.js";
import { describeConfigIssue, toProblems } from "./problem.js";
import { configSchema } from "./schema/config.js";
import type { Config } from "./schema/sections.js";
import { normalizeSpelling } from "./spelling.js";

/**
 * Checks a configuration and fills in the defaults.
 *
 * @param written nested maps from YAML or JSON; may use `rollout.compat`, and a single value instead of a list
 * @throws {@link ConfigError} `config_invalid` with everything that is wrong, including unknown keys
 */
export function parseConfig(written: unknown): Config {
  const { value, problems } = normalizeSpelling(written);
  return checkConfig(value, problems);
}

/** Like {@link parseConfig}, for a normalized value. The error includes `problems` that were found before. */
export function checkConfig(value: unknown, problems: readonly ConfigProblem[]): Config {
  const result = configSchema.safeParse(value, { error: describeConfigIssue, reportInput: false });
  if (result.success && problems.length === 0) return result.data;
  const issues = result.success ? [] : result.error.issues.flatMap(toProblems);
  throw new ConfigError("config_invalid", [...problems, ...issues]);
}
