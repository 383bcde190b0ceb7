import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { cacheFolder } from "../support/cache-folder.js";
import { ConfigError } from "./errors.js";
import { findKey } from "./key.js";
import type { Config } from "./schema/sections.js";
import { secretKey } from "./schema/values.js";

const VARIABLE = "ROLLTAPE_ADMIN_API_KEY";

/** The admin key of a server, and where its user finds it. */
export interface AdminKey {
  readonly key: string;
  /** Where a random key has to be written for its user to read: {@link writeKeyFile}. Absent for a key of the user's. */
  readonly file?: string;
}

/**
 * The admin key: the configuration's, else the environment's, else a random one. Nothing is written yet: a server that
 * cannot listen must not replace the key file of the one that does.
 *
 * @throws {@link ConfigError} for a key in the environment that is too short
 */
export function adminKey(config: Config, env: NodeJS.ProcessEnv): AdminKey {
  const { admin_api_key: configured, key_file: file } = config.rollout.agent;
  if (configured !== null) return { key: configured };
  const given = environmentKey(env);
  if (given) return { key: given };
  return { key: `sk-admin-${randomBytes(32).toString("base64url")}`, file: file ?? defaultFile(config, env) };
}

/**
 * The admin key in the environment. An empty variable is none.
 *
 * @throws {@link ConfigError} for a key that the configuration would refuse
 */
export function environmentKey(env: NodeJS.ProcessEnv): string | undefined {
  const given = env[VARIABLE];
  if (!given || secretKey.safeParse(given).success) return given;
  const message = `expected ${findKey("rollout.agent.admin_api_key")?.expected}, got ${given.length} characters`;
  throw new ConfigError("config_invalid", [{ path: VARIABLE, message }]);
}

/** A file for each server of a machine: ports tell them apart, and processes where the port is not known yet. */
function defaultFile({ server }: Config, env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), `admin-key-${server.port === 0 ? `pid-${process.pid}` : server.port}`);
}
