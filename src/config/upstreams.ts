import { ConfigError } from "./errors.js";
import type { Config } from "./schema/sections.js";
import type { UpstreamSetting } from "./schema/upstreams.js";
import { VISIBLE_ASCII } from "./schema/values.js";

/** Model names whose calls are refused. A name may have one `*`, which stands for any characters. */
export interface RefusedModels {
  readonly models: readonly string[];
  readonly refuse: true;
}

/** Model names whose calls another server answers. */
export interface Upstream {
  readonly models: readonly string[];
  readonly refuse: false;
  readonly url: string;
  readonly apiKey: string | undefined;
  /** Model name that is sent to the upstream. Undefined: the requested name. */
  readonly model: string | undefined;
  readonly timeoutSeconds: number;
}

export type UpstreamRule = RefusedModels | Upstream;

/** The default of the SDKs of OpenAI and Anthropic. */
const DEFAULT_TIMEOUT_SECONDS = 600;

/**
 * Returns the upstreams of a configuration, with their keys.
 *
 * @throws {@link ConfigError} if an environment variable of `api_key_env` is not set
 */
export function readUpstreams({ upstreams }: Config, env: NodeJS.ProcessEnv): UpstreamRule[] {
  return upstreams.map((setting, i) => toRule(setting, env, `upstreams[${i}].api_key_env`));
}

function toRule(setting: UpstreamSetting, env: NodeJS.ProcessEnv, path: string): UpstreamRule {
  const models = [setting.models].flat();
  const { url, api_key: apiKey, api_key_env: variable, model, timeout_seconds: timeout } = setting;
  if (!url) return { models, refuse: true };
  const fromEnv = variable ? env[variable] : undefined;
  if (variable && !fromEnv) {
    throw new ConfigError("config_invalid", [{ path, message: `the environment variable ${variable} is not set` }]);
  }
  // A line break at the end is common, and no header can have one. The message must not show the value.
  if (fromEnv !== undefined && !VISIBLE_ASCII.test(fromEnv)) {
    const message = `the environment variable ${variable} has characters that a key cannot have, such as a space or a line break`;
    throw new ConfigError("config_invalid", [{ path, message }]);
  }
  return {
    models,
    refuse: false,
    url,
    apiKey: fromEnv ?? apiKey ?? undefined,
    model: model ?? undefined,
    timeoutSeconds: timeout ?? DEFAULT_TIMEOUT_SECONDS,
  };
}
