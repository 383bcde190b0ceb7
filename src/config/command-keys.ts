import { isWrittenEmpty } from "./empty-key.js";
import { ConfigError } from "./errors.js";
import { readOverrides } from "./overrides.js";
import type { ConfigSources } from "./resolve-config.js";
import type { Config } from "./schema/sections.js";
import { storageSchema } from "./schema/storage.js";
import { normalizeSpelling } from "./spelling.js";
import { mapLeaves } from "./tree.js";

/** Keys that a command does not use, and the reason. A prefix is a key, or a section with its dot. */
export interface UnusedKeys {
  readonly prefixes: readonly string[];
  /** Whole keys, for a key that begins like one that the command uses. */
  readonly keys?: readonly string[];
  /** Whole keys that the command uses, although they begin like the others. */
  readonly except?: readonly string[];
  /** The end of the sentence "has no effect: …". */
  readonly reason: string;
}

/** Keys that only rollout jobs use. */
const ROLLOUT_JOB_KEYS = [
  "rollout.agent.mode",
  "rollout.agent.subproc_max_workers",
  "rollout.agent.python",
  "rollout.agent.tasks_per_worker",
  "rollout.agent.turn_discount",
  "rollout.agent.export_style",
  "rollout.agent.concat_reward",
  "rollout.agent.export_filters",
  "rollout.agent.reward_scope",
  "rollout.max_",
  "rollout.min_",
  "rollout.drop_zero_variance",
  "rollout.group_readable",
  "rollout.consumer_batch_size",
  "rollout.workers",
  "rollout.worker_concurrency",
  "rollout.lease_seconds",
  "rollout.controller_wait_seconds",
  "rollout.proxy_wait_seconds",
  "rollout.no_retry_on",
  "rollout.failure_reward",
  "group_size",
  "drop_incomplete_group",
] as const;

const UNUSED_WITHOUT_GATEWAY: readonly UnusedKeys[] = [
  { prefixes: ROLLOUT_JOB_KEYS, reason: "`rolltape rollout` uses it, `rolltape serve` does not" },
  { prefixes: ["scheduler."], reason: "`rolltape job` uses it, `rolltape serve` does not" },
];

/** Keys that a single server does not use. */
export const UNUSED_BY_SERVE: readonly UnusedKeys[] = [
  ...UNUSED_WITHOUT_GATEWAY,
  { prefixes: ["gateway."], reason: "`rolltape gateway` uses it, `rolltape serve` does not" },
];

/** Returns the keys that `rolltape serve` does not use with this configuration. */
export function unusedByServe({ server, storage }: Config): readonly UnusedKeys[] {
  if (server.workers === 1) return UNUSED_BY_SERVE;
  const own = { prefixes: ["gateway.workers"], reason: "`server.workers` starts its own servers" };
  if (storage.directory !== null) return [...UNUSED_WITHOUT_GATEWAY, own];
  const reason = "without `storage.directory`, no sessions of a worker come back";
  return [...UNUSED_WITHOUT_GATEWAY, own, { prefixes: ["gateway.worker_return_seconds"], reason }];
}

export const UNUSED_BY_GATEWAY: readonly UnusedKeys[] = [
  {
    prefixes: [
      "model.",
      "storage.",
      "engine.",
      "rollout.",
      "upstreams",
      "group_size",
      "drop_incomplete_group",
      "scheduler.",
      "server.max_json_depth",
      "server.max_json_values",
      "server.max_json_keys",
      "server.max_messages",
      "server.max_tools",
      "server.max_prompt_characters",
      "server.known_request_bytes",
      "server.store_",
      "server.keepalive_seconds",
      "server.worker_tag",
      "server.workers",
      "server.advertised_host",
      "server.ui",
    ],
    except: ["rollout.agent.shared_memory_directory", "rollout.agent.shared_memory_bytes"],
    reason: "`rolltape gateway` does not use it; set it for the servers behind the gateway",
  },
];

export const UNUSED_BY_WORKER: readonly UnusedKeys[] = [
  {
    prefixes: [
      "rollout.max_attempts",
      "rollout.max_concurrent_rollouts",
      "rollout.max_staleness",
      "rollout.max_token_staleness",
      "rollout.min_",
      "rollout.drop_zero_variance",
      "rollout.group_readable",
      "rollout.consumer_batch_size",
      "rollout.lease_seconds",
      "rollout.workers",
      "rollout.agent.turn_discount",
      "rollout.agent.export_",
      "rollout.agent.concat_reward",
      "rollout.agent.reward_scope",
      "group_size",
      "drop_incomplete_group",
    ],
    reason: "the controller uses it, and tells its workers what they need",
  },
  {
    prefixes: [
      "storage.",
      "model.",
      "engine.",
      "gateway.",
      "upstreams",
      "scheduler.",
      "server.host",
      "server.port",
      "server.socket",
      "server.probe_port",
      "server.stall_seconds",
    ],
    reason: "`rolltape worker` starts no server and no engine",
  },
];

export const UNUSED_BY_JOB: readonly UnusedKeys[] = [
  {
    prefixes: [
      "server.",
      "storage.",
      "model.",
      "engine.",
      "rollout.",
      "gateway.",
      "upstreams",
      "group_size",
      "drop_incomplete_group",
    ],
    reason: "`rolltape job` uses `scheduler.type` only; set it in the commands of the job file",
  },
];

const STORAGE_KEYS = ["durability", "interval_seconds", "memory_bytes"] as const;

/**
 * Returns the keys of `storage` that a server with this configuration does not use.
 *
 * @param sources of the configuration, to say if the folder is written without a value
 */
export function unusedByStorage(
  { storage: { directory, durability } }: Config,
  sources: ConfigSources = {},
): UnusedKeys[] {
  if (directory === null) {
    const prefixes = STORAGE_KEYS.map((name) => `storage.${name}`);
    const reason = isWrittenEmpty("storage.directory", sources)
      ? "`storage.directory` has an empty value, so sessions are not stored; set it to a folder"
      : "sessions are not stored without `storage.directory`";
    return [{ prefixes, reason }];
  }
  if (durability === "interval") return [];
  return [{ prefixes: ["storage.interval_seconds"], reason: "only `storage.durability=interval` uses it" }];
}

/**
 * Refuses keys of `storage` without effect, also those of a file, because whoever sets them expects that sessions are stored. A
 * gateway does not call this: it may share a file with servers whose folders are arguments.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export function refuseUnusedStorage(config: Config, sources: ConfigSources = {}): void {
  const defaults = storageSchema.parse({});
  const changed = STORAGE_KEYS.filter((name) => config.storage[name] !== defaults[name]);
  refuse(
    changed.map((name) => `storage.${name}`),
    unusedByStorage(config, sources),
  );
}

/**
 * Refuses `key=value` arguments with keys that the command does not use. Keys in a file are accepted, because commands
 * share files.
 *
 * @throws {@link ConfigError} `config_invalid`, which lists each such key
 */
export function refuseUnused(overrides: readonly string[], unused: readonly UnusedKeys[]): void {
  refuse(keysIn(overrides), unused);
}

function refuse(keys: readonly string[], unused: readonly UnusedKeys[]): void {
  const problems = keys.flatMap((path) => {
    const found = unused.find((each) => includesKey(each, path));
    return found ? [{ path, message: `has no effect: ${found.reason}` }] : [];
  });
  if (problems.length > 0) throw new ConfigError("config_invalid", problems);
}

/** Returns the arguments that have an effect on the command. */
export function withoutUnused(overrides: readonly string[], unused: readonly UnusedKeys[]): string[] {
  return overrides.filter((override) => {
    const keys = keysIn([override]);
    return keys.some((key) => !unused.some((each) => includesKey(each, key)));
  });
}

function includesKey({ prefixes, keys = [], except = [] }: UnusedKeys, path: string): boolean {
  if (except.includes(path)) return false;
  return keys.includes(path) || prefixes.some((prefix) => path.startsWith(prefix));
}

function keysIn(overrides: readonly string[]): string[] {
  const keys: string[] = [];
  mapLeaves(normalizeSpelling(readOverrides(overrides).value).value, (_, path) => keys.push(path));
  return keys;
}
