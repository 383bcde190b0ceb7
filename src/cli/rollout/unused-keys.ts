import { type Config, type UnusedKeys, unusedByStorage } from "../../config/index.js";
import { isPythonAgent } from "../../rollout/python/agent-file.js";
import type { RolloutOptions } from "./rollout-options.js";

/** Keys of `rollout.agent` that only the proxy uses. */
const PROXY_KEYS = [
  "session_timeout_seconds",
  "key_file",
  "drain_seconds",
  "export_retention_",
  // shared_memory_directory is not listed: the job may save a batch there that cannot be written to `--out`.
  "shared_memory_bytes",
  "chat_template_",
  "enforce_strict_tools",
  "server_tools",
  "images",
  "message_filters",
  "sampling_override",
  "engine_max_tokens",
  "max_upstream_calls",
  "max_concurrent_upstream_calls",
  "tool_call_parser",
  "reasoning_parser",
].map((name) => `rollout.agent.${name}`);

/** Returns the keys that a controller does not use. */
export function unusedByController({ trainer }: Pick<RolloutOptions, "trainer">): UnusedKeys[] {
  return [
    {
      prefixes: ["storage.memory_bytes", "model.", "engine.", "gateway.", "upstreams", "scheduler.", ...PROXY_KEYS],
      reason: "the proxy at `--proxy` has its own configuration; start it with this key",
    },
    {
      prefixes: [
        "rollout.agent.mode",
        "rollout.agent.subproc_max_workers",
        "rollout.agent.python",
        "rollout.agent.tasks_per_worker",
        "rollout.max_concurrent_episodes",
        "rollout.worker_concurrency",
        "rollout.workers",
        "rollout.controller_wait_seconds",
        "rollout.max_failures",
        "rollout.no_retry_on",
        "rollout.failure_reward",
      ],
      reason: "`rolltape worker` uses it, `rolltape controller` does not",
    },
    SERVED_WORKERS,
    NO_SOCKET,
    ...(trainer === undefined ? [NO_TRAINER] : []),
  ];
}

const SERVED_WORKERS: UnusedKeys = {
  prefixes: [],
  keys: ["server.workers"],
  reason: "`rolltape serve` uses it; a rollout has `--proxy-workers` and `--workers`",
};

const NO_SOCKET: UnusedKeys = { prefixes: ["server.socket"], reason: "a controller has a port only" };

const NO_TRAINER: UnusedKeys = {
  prefixes: ["rollout.max_staleness"],
  reason: "weights do not change without `--trainer`",
};

/**
 * Returns the keys that a job with these options does not use.
 *
 * @param overrides `key=value` arguments of the job
 */
export function unusedByRollout(
  config: Config,
  options: RolloutOptions,
  overrides: readonly string[] = [],
): UnusedKeys[] {
  const { rollout, storage } = config;
  const { agent } = rollout;
  const isPython = isPythonAgent(options.agent);
  const isSubproc = isPython || agent.mode === "subproc" || options.command !== undefined;
  const unused: (UnusedKeys | false)[] = [
    {
      prefixes: ["gateway.workers"],
      reason: "`rolltape rollout` starts its own proxies; use `--proxy` for a running one",
    },
    options.proxy !== undefined && {
      prefixes: ["server.", "storage.memory_bytes", "model.", "engine.", "gateway.", "upstreams", ...PROXY_KEYS],
      reason: "the proxy at `--proxy` has its own configuration; start it with this key",
    },
    SERVED_WORKERS,
    ...unusedByStorage(config, { file: options.config, overrides }),
    options.engineCommand !== undefined && {
      prefixes: ["engine.urls"],
      reason: "the job starts its own engines with `--engine-command`",
    },
    (options.proxyWorkers ?? 1) === 1 &&
      options.jobFolder === undefined && {
        prefixes: ["gateway."],
        reason: "there is no gateway without `--proxy-workers`",
      },
    (options.proxyWorkers ?? 1) > 1 && {
      prefixes: ["server.worker_tag", "server.workers_folder", "server.advertised_host"],
      reason: "the job chooses it for its `--proxy-workers`",
    },
    (options.proxyWorkers ?? 1) > 1 &&
      storage.directory === null && {
        prefixes: ["gateway.worker_return_seconds"],
        reason: "without `storage.directory`, no sessions of a worker come back",
      },
    options.trainer === undefined && NO_TRAINER,
    options.workers === undefined &&
      options.jobFolder === undefined &&
      rollout.workers === null && {
        prefixes: ["rollout.worker_concurrency", "rollout.lease_seconds", "rollout.controller_wait_seconds"],
        reason: "agents run in this process; set `rollout.workers` or `--workers`",
      },
    !isPython && {
      prefixes: ["rollout.agent.python", "rollout.agent.tasks_per_worker"],
      reason: "only a Python agent uses it, such as `--agent agent.py:solve`",
    },
    isPython && {
      prefixes: ["rollout.agent.mode"],
      reason: "a Python agent always runs in processes of its own",
    },
    !isSubproc && {
      prefixes: ["rollout.agent.subproc_max_workers"],
      reason: "agents run in this process; set `rollout.agent.mode=subproc`",
    },
  ];
  return unused.filter((each) => each !== false);
}
