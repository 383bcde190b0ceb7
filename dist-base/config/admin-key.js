import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { cacheFolder } from "../support/cache-folder.js";
import { ConfigError } from "./errors.js";
import { findKey } from "./key.js";
import { secretKey } from "./schema/values.js";
const VARIABLE = "ROLLTAPE_ADMIN_API_KEY";
/**
 * Returns the admin key: from the configuration, else from the environment, else a random one. It writes no file,
 * because a server that cannot listen must not replace the key file of the server that does.
 *
 * @throws {@link ConfigError} if the key in the environment is invalid
 */
export function resolveAdminKey(config, env) {
    const chosen = readAdminKey(config, env);
    if (chosen !== undefined)
        return { key: chosen };
    const file = config.rollout.agent.key_file;
    return { key: `sk-admin-${randomBytes(32).toString("base64url")}`, file: file ?? defaultFile(config, env) };
}
/**
 * Returns the admin key that the user chose: from the configuration, else from the environment; undefined if there is none.
 *
 * @throws {@link ConfigError} if the key in the environment is invalid
 */
export function readAdminKey(config, env) {
    return config.rollout.agent.admin_api_key ?? (readEnvironmentKey(env) || undefined);
}
/**
 * Returns the admin key in the environment. An empty variable counts as absent.
 *
 * @throws {@link ConfigError} if the configuration would refuse the key
 */
export function readEnvironmentKey(env) {
    const value = env[VARIABLE];
    if (!value || secretKey.safeParse(value).success)
        return value;
    const message = `expected ${findKey("rollout.agent.admin_api_key")?.expected}, got ${value.length} characters`;
    throw new ConfigError("config_invalid", [{ path: VARIABLE, message }]);
}
/** Returns a file of its own for each server of a machine: named after its port, or its process if the port is 0. */
function defaultFile({ server }, env) {
    return join(cacheFolder(env), `admin-key-${server.port === 0 ? `pid-${process.pid}` : server.port}`);
}
//# sourceMappingURL=admin-key.js.map