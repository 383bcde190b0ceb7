import { describe, expect, it } from "vitest";
import { controllerCommand, rolloutCommand } from "../../src/cli/rollout/job-command.js";
import type { RolloutOptions } from "../../src/cli/rollout/rollout-options.js";
import {
  type Command,
  GATEWAY,
  JOB,
  parseConfig,
  refuseUnused,
  refuseUnusedStorage,
  resolveConfig,
  SERVE,
  serveCommand,
  WORKER,
  withoutUnused,
} from "../../src/config/index.js";
import { configKeys } from "../../src/config/key.js";
import { readProblems } from "./helpers.js";

const COMMANDS = { serve: SERVE, gateway: GATEWAY, worker: WORKER, controller: controllerCommand({}), job: JOB };

/** Returns the keys of a section that a command uses. */
function usedKeys(command: Command, section: string): string[] {
  const keys = configKeys.map(({ path }) => path).filter((path) => path.startsWith(section));
  return keys.filter((path) => withoutUnused([`${path}=null`], command).length > 0);
}

describe("keys that have an effect under a condition only", () => {
  /** A command that runs everything. */
  const EVERYTHING: Command = { name: "all", runs: configKeys.flatMap(({ usedBy }) => usedBy) };

  it.each([
    ["one proxy", ["server.worker_tag", "server.workers_folder", "server.advertised_host"]],
    [
      "storage",
      [
        "storage.durability",
        "storage.memory_bytes",
        "storage.archive",
        "storage.archive_backlog_bytes",
        "gateway.worker_return_seconds",
      ],
    ],
    [
      "running engines",
      [
        "engine.urls",
        "engine.routed_experts",
        "engine.sampling_masks",
        "engine.max_kept_tokens",
        "engine.token_ids_logprob",
      ],
    ],
    ["choice of mode", ["rollout.agent.mode"]],
    ["subprocesses", ["rollout.agent.subproc_max_workers"]],
    ["Python agent", ["rollout.agent.python", "rollout.agent.tasks_per_worker"]],
    ["trainer", ["rollout.max_staleness"]],
    ["worker processes", ["rollout.worker_concurrency", "rollout.lease_seconds"]],
    ["running servers", ["gateway.workers", "gateway.workers_folder", "gateway.discover"]],
  ] as const)("are refused without %s", (need, paths) => {
    const unused = (command: Command) =>
      configKeys.map(({ path }) => path).filter((path) => withoutUnused([`${path}=null`], command).length === 0);
    expect(unused({ ...EVERYTHING, lacks: { [need]: "it is missing" } })).toEqual(paths);
    expect(unused({ ...EVERYTHING, lacks: { [need]: false } })).toEqual([]);
  });
});

describe("keys that a command does not use", () => {
  it.each([
    ["serve", "group_size=4", "`rolltape rollout` and `rolltape controller` use it, `rolltape serve` does not"],
    [
      "serve",
      "rollout.compat.turn_discount=0.9",
      "`rolltape rollout` and `rolltape controller` use it, `rolltape serve` does not",
    ],
    ["serve", "gateway.workers=[http://a]", "`rolltape gateway` uses it, `rolltape serve` does not"],
    ["serve", "scheduler.type=slurm", "`rolltape rollout` and `rolltape job` use it, `rolltape serve` does not"],
    ["gateway", "engine.type=sglang", "`rolltape gateway` does not use it; set it for the servers behind the gateway"],
    [
      "gateway",
      "server.store_bytes=3",
      "`rolltape gateway` does not use it; set it for the servers behind the gateway",
    ],
    [
      "gateway",
      "rollout.max_failures=3",
      "`rolltape rollout` and `rolltape worker` use it, `rolltape gateway` does not",
    ],
    ["worker", "group_size=4", "the controller uses it, and tells its workers what they need"],
    ["worker", "rollout.workers=2", "`rolltape rollout` uses it, `rolltape worker` does not"],
    ["worker", "engine.type=sglang", "`rolltape worker` starts no server and no engine"],
    [
      "controller",
      "rollout.agent.mode=subproc",
      "`rolltape rollout` and `rolltape worker` use it, `rolltape controller` does not",
    ],
    ["controller", "server.ui=true", "the proxy at `--proxy` has its own configuration; start it with this key"],
    ["controller", "rollout.max_staleness=1", "weights do not change without `--trainer`"],
    ["controller", "rollout.workers=2", "start workers with `rolltape worker`"],
    ["job", "server.port=0", "`rolltape job` uses `scheduler.type` only; set it in the commands of the job file"],
  ] as const)("are refused as arguments: %s %s", (command, override, reason) => {
    const problems = readProblems(() => refuseUnused([override], COMMANDS[command]));
    expect(Object.values(problems)).toEqual([`has no effect: ${reason}`]);
  });

  it("are all listed, also those inside a map", () => {
    const problems = readProblems(() => refuseUnused(["rollout={max_staleness: 1}", "group_size=2"], SERVE));
    expect(Object.keys(problems)).toEqual(["rollout.max_staleness", "group_size"]);
  });

  it("are accepted in a file, because commands share files", () => {
    expect(() => refuseUnused([], GATEWAY)).not.toThrow();
  });

  it("are refused inside the value of a key", () => {
    const override = "rollout.agent.chat_template_kwargs.enable_thinking=false";
    expect(() => refuseUnused([override], SERVE)).not.toThrow();
    expect(() => refuseUnused([override], GATEWAY)).toThrow("has no effect");
  });

  it("are removed from the arguments of the proxies of a job", () => {
    const overrides = ["group_size=2", "engine.sequences=4", "rollout.max_staleness=1"];
    expect(withoutUnused(overrides, SERVE)).toEqual(["engine.sequences=4"]);
  });
});

describe("rolltape serve with several workers", () => {
  const WORKERS = ["server.workers=2", "engine.type=vllm", "engine.urls=[http://a]", "model.path=/m"];
  const check = (overrides: string[]) => {
    const config = resolveConfig({ overrides: [...WORKERS, ...overrides], env: {} });
    refuseUnused(overrides, serveCommand(config));
  };
  const refused = (...overrides: string[]) => readProblems(() => check(overrides));

  it("uses keys of the gateway, except the addresses of other workers", () => {
    expect(() => check(["gateway.direct=false", "gateway.unreachable_seconds=2"])).not.toThrow();
    expect(refused("gateway.workers=[http://b]", "gateway.workers_folder=/f", "gateway.discover=dns:b:1")).toEqual({
      "gateway.workers": "has no effect: `server.workers` starts its own servers",
      "gateway.workers_folder": "has no effect: `server.workers` starts its own servers",
      "gateway.discover": "has no effect: `server.workers` starts its own servers",
    });
    expect(refused("group_size=4")).toHaveProperty(["group_size"]);
  });

  it("waits for a worker's return only with storage", () => {
    const key = "gateway.worker_return_seconds";
    expect(refused(`${key}=5`)).toHaveProperty([key]);
    expect(() => check([`${key}=5`, "storage.directory=/data"])).not.toThrow();
  });

  it("refuses gateway keys with one worker", () => {
    const command = serveCommand(parseConfig({}));
    expect(readProblems(() => refuseUnused(["gateway.direct=true"], command))).toHaveProperty(["gateway.direct"]);
  });
});

describe("keys that a command uses", () => {
  it("name what uses them in the schema", () => {
    expect(configKeys.filter(({ usedBy }) => usedBy.length === 0).map(({ path }) => path)).toEqual([]);
  });

  it("are all except those of other commands", () => {
    expect(usedKeys(GATEWAY, "")).toEqual([
      "server.host",
      "server.port",
      "server.socket",
      "server.probe_port",
      "server.stall_seconds",
      "server.max_body_bytes",
      "server.body_bytes_in_flight",
      "server.max_connections",
      "server.send_timeout_seconds",
      "server.strict_control_fields",
      "server.shared_memory_directory",
      "server.shared_memory_bytes",
      "server.shutdown_seconds",
      "server.public_metrics",
      "server.access_log",
      "server.log_level",
      "rollout.agent.admin_api_key",
      "gateway.workers",
      "gateway.workers_folder",
      "gateway.discover",
      "gateway.direct",
      "gateway.unreachable_seconds",
      "gateway.worker_return_seconds",
      "telemetry.otlp_url",
      "telemetry.sample_ratio",
    ]);
    expect(usedKeys(WORKER, "")).toEqual([
      "server.log_level",
      "rollout.agent.mode",
      "rollout.agent.subproc_max_workers",
      "rollout.agent.python",
      "rollout.agent.tasks_per_worker",
      "rollout.agent.admin_api_key",
      "rollout.max_concurrent_episodes",
      "rollout.worker_concurrency",
      "rollout.max_failures",
      "rollout.no_retry_on",
      "rollout.failure_reward",
      "rollout.proxy_wait_seconds",
      "telemetry.otlp_url",
      "telemetry.sample_ratio",
    ]);
    expect(usedKeys(JOB, "")).toEqual(["scheduler.type"]);
    const usedByServe = usedKeys(SERVE, "rollout.");
    expect(usedByServe).not.toContain("rollout.agent.mode");
    expect(usedByServe.filter((key) => !key.startsWith("rollout.agent."))).toEqual([]);
    expect(usedKeys(SERVE, "rollout.agent.chat_template_type")).toHaveLength(1);
  });
});

describe("rolltape rollout", () => {
  const BASE: RolloutOptions = { data: "tasks.jsonl", out: "batch.safetensors", layout: "padded" };
  const refused = (override: string, options: Partial<RolloutOptions> = {}) => {
    const config = resolveConfig({ overrides: [override], env: {} });
    return readProblems(() => refuseUnused([override], rolloutCommand(config, { ...BASE, ...options })));
  };
  const accepted = (override: string, options: Partial<RolloutOptions> = {}) => {
    const config = resolveConfig({ overrides: [override], env: {} });
    expect(() => refuseUnused([override], rolloutCommand(config, { ...BASE, ...options }))).not.toThrow();
  };

  it("refuses keys of the proxy if it does not start the proxy", () => {
    const options = { proxy: "http://127.0.0.1:8090" };
    for (const key of ["engine.sequences=4", "server.port=1", "rollout.agent.chat_template_type=concat"]) {
      expect(Object.values(refused(key, options))).toEqual([
        "has no effect: the proxy at `--proxy` has its own configuration; start it with this key",
      ]);
      accepted(key);
    }
    accepted("rollout.agent.turn_discount=0.9", options);
  });

  it("accepts the folder for batches that cannot be written, but not its size limit, which only the proxy uses", () => {
    const options = { proxy: "http://127.0.0.1:8090" };
    accepted("server.shared_memory_directory=/tmp", options);
    expect(refused("server.shared_memory_bytes=4", options)).toHaveProperty(["server.shared_memory_bytes"]);
  });

  it("refuses max_staleness without a trainer, and subproc_max_workers without subprocesses", () => {
    expect(refused("rollout.max_staleness=2")).toHaveProperty(["rollout.max_staleness"]);
    accepted("rollout.max_staleness=2", { trainer: ["python3"] });
    expect(refused("rollout.agent.subproc_max_workers=2")).toHaveProperty(["rollout.agent.subproc_max_workers"]);
    accepted("rollout.agent.subproc_max_workers=2", { command: ["python3"] });
  });

  it("refuses keys of its own proxy's storage without a folder", () => {
    expect(refused("storage.durability=call")).toEqual({
      "storage.durability": "has no effect: sessions are not stored without `storage.directory`",
    });
    accepted("storage.directory=/data");
  });

  it("refuses the number of servers of `rolltape serve`, but not its other keys", () => {
    const config = resolveConfig({ env: {} });
    const command = rolloutCommand(config, BASE);
    expect(Object.keys(readProblems(() => refuseUnused(["server.workers=2"], command)))).toEqual(["server.workers"]);
    expect(withoutUnused(["server.workers=2", "server.workers_folder=/f"], command)).toEqual([
      "server.workers_folder=/f",
    ]);
  });

  it("refuses gateway keys without several proxies", () => {
    expect(refused("gateway.unreachable_seconds=2")).toHaveProperty(["gateway.unreachable_seconds"]);
    accepted("gateway.unreachable_seconds=2", { proxyWorkers: 2 });
  });
});

describe("keys of storage without effect", () => {
  const refusedArguments = (...overrides: string[]) => {
    const config = resolveConfig({ overrides, env: {} });
    return readProblems(() => refuseUnused(overrides, serveCommand(config, { overrides })));
  };
  const refusedValues = (storage: object) => readProblems(() => refuseUnusedStorage(parseConfig({ storage })));
  const unstored = "has no effect: sessions are not stored without `storage.directory`";

  it("are refused as arguments without a folder, also with their default values", () => {
    for (const [key, value] of Object.entries({ durability: "call", memory_bytes: 5 })) {
      expect(refusedArguments(`storage.${key}=${value}`)).toEqual({ [`storage.${key}`]: unstored });
    }
  });

  it("are refused with the reason that the folder has an empty value", () => {
    expect(refusedArguments("storage.durability=none", "storage.directory=")).toEqual({
      "storage.durability":
        "has no effect: `storage.directory` has an empty value, so sessions are not stored; set it to a folder",
    });
  });

  it("are refused in a file without a folder", () => {
    expect(refusedValues({ durability: "none", memory_bytes: 5 })).toEqual({
      "storage.durability": unstored,
      "storage.memory_bytes": unstored,
    });
    expect(() => refuseUnusedStorage(parseConfig({ storage: { durability: "call" } }))).not.toThrow();
    expect(() => refuseUnusedStorage(parseConfig({ storage: { directory: "/data", memory_bytes: 5 } }))).not.toThrow();
  });
});

describe("a key without effect", () => {
  const SGLANG = { type: "sglang", urls: ["http://a"] };
  it.each([
    [{ engine: { ...SGLANG, sequences: 4 }, model: { path: "/m" } }, "engine.sequences"],
    [{ engine: { max_inflight: 4 } }, "engine.max_inflight"],
    [{ server: { advertised_host: "node1" } }, "server.advertised_host"],
  ])("is refused: %j", (written, key) => {
    expect(Object.keys(readProblems(() => parseConfig(written)))).toEqual([key]);
  });

  it("is accepted with its default value", () => {
    expect(parseConfig({ engine: { max_inflight: 1024 } }).engine.max_inflight).toBe(1024);
  });
});
