import { readFileSync } from "node:fs";
import { readEnvironmentKey } from "./admin-key.js";
import { ConfigError } from "./errors.js";
import { readOverrides } from "./overrides.js";
import { checkConfig } from "./parse-config.js";
import type { Config } from "./schema/sections.js";
import { normalizeSpelling } from "./spelling.js";
import { isPlainMap, merge } from "./tree.js";
import { readYaml } from "./yaml-source.js";

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
export function resolveConfig({ file, overrides = [], env = process.env }: ConfigSources = {}): Config {
  const fromFile = normalizeSpelling(file === undefined ? {} : readFile(file));
  const args = readOverrides(overrides);
  const fromArgs = normalizeSpelling(args.value);
  const problems = [...fromFile.problems, ...args.problems, ...fromArgs.problems];
  const config = checkConfig(merge(fromFile.value, fromArgs.value), problems);
  // The result is not used here. Reading the key reports an invalid one before a server starts.
  if (config.rollout.agent.admin_api_key === null) readEnvironmentKey(env);
  return config;
}

/** @throws {@link ConfigError} `config_unreadable` or `config_syntax` */
export function readFile(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    throw new ConfigError("config_unreadable", [{ path: file, message: `cannot be read (${reason})` }], { cause });
  }
  const result = readYaml(text);
  if ("value" in result && isPlainMap(result.value ?? {})) return result.value;
  const errors = "value" in result ? ["expected a map of keys"] : result.errors;
  const problems = errors.map((message) => ({ path: file, message }));
  throw new ConfigError("config_syntax", problems);
}
