import { type Command, type Config, lackOfStorage } from "../../config/index.js";
import { isPythonAgent } from "../../rollout/python/agent-file.js";
import type { RolloutOptions } from "./rollout-options.js";

const OTHER_PROXY = "the proxy at `--proxy` has its own configuration; start it with this key";
const NO_TRAINER = "weights do not change without `--trainer`";

/** Returns `rolltape controller` with these options. */
export function controllerCommand({ trainer }: Pick<RolloutOptions, "trainer">): Command {
  return {
    name: "controller",
    runs: ["rollout", "controller"],
    lacks: {
      proxy: OTHER_PROXY,
      gateway: OTHER_PROXY,
      trainer: trainer === undefined && NO_TRAINER,
      ownWorkers: "start workers with `rolltape worker`",
    },
  };
}

/**
 * Returns `rolltape rollout` with these options.
 *
 * @param overrides `key=value` arguments of the job
 */
export function rolloutCommand(config: Config, options: RolloutOptions, overrides: readonly string[] = []): Command {
  const { rollout } = config;
  const { config: file, jobFolder, proxy, proxyWorkers = 1, trainer, workers = rollout.workers } = options;
  const isPython = isPythonAgent(options.agent);
  const isSubproc = isPython || rollout.agent.mode === "subproc" || options.command !== undefined;
  const hasGateway = proxyWorkers > 1 || jobFolder !== undefined;
  const ownProxies = hasGateway ? (["proxy", "gateway"] as const) : (["proxy"] as const);
  return {
    name: "rollout",
    runs: ["rollout", "ownWorkers", "worker", "job", ...(proxy === undefined ? ownProxies : [])],
    lacks: {
      proxy: OTHER_PROXY,
      gateway: proxy === undefined ? "there is no gateway without `--proxy-workers` or `--job-folder`" : OTHER_PROXY,
      serve: "`rolltape serve` uses it; a rollout has `--proxy-workers` and `--workers`",
      storage: lackOfStorage(config, { file, overrides }),
      "running engines":
        options.engineCommand !== undefined && "the job starts its own engines with `--engine-command`",
      "running servers": "`rolltape rollout` starts its own proxies; use `--proxy` for a running one",
      "one proxy": proxyWorkers > 1 && "the job chooses it for its `--proxy-workers`",
      trainer: trainer === undefined && NO_TRAINER,
      "worker processes":
        workers === null &&
        jobFolder === undefined &&
        "agents run in this process; set `rollout.workers` or `--workers`",
      "Python agent": !isPython && "only a Python agent uses it, such as `--agent agent.py:solve`",
      "choice of mode": isPython && "a Python agent always runs in processes of its own",
      subprocesses: !isSubproc && "agents run in this process; set `rollout.agent.mode=subproc`",
    },
  };
}
