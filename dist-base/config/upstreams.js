import { ConfigError } from "./errors.js";
import { VISIBLE_ASCII } from "./schema/values.js";
/** The default of the SDKs of OpenAI and Anthropic. */
const DEFAULT_TIMEOUT_SECONDS = 600;
/**
 * Returns the upstreams of a configuration, with their keys.
 *
 * @throws {@link ConfigError} if an environment variable of `api_key_env` is not set
 */
export function readUpstreams({ upstreams }, env) {
    return upstreams.map((setting, i) => toRule(setting, env, `upstreams[${i}].api_key_env`));
}
function toRule(setting, env, path) {
    const models = [setting.models].flat();
    const { url, api_key: apiKey, api_key_env: variable, model, timeout_seconds: timeout } = setting;
    if (!url)
        return { models, refuse: true };
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
//# sourceMappingURL=upstreams.js.map