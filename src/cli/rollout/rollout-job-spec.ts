import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Command, type Config, GATEWAY, SERVE, WORKER, withoutUnused } from "../../config/index.js";
import type { JobInput, JobSpec } from "../../scheduler/job.js";
import { parseJob } from "../../scheduler/parse-job.js";
import { sessionsFileOf } from "../export/sessions-file-path.js";
import { NODE_ARGUMENTS } from "../node-arguments.js";
import { controllerCommand } from "./job-command.js";
import { agentArguments } from "./open-workers.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface RolloutJobSettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  /** `key=value` arguments of the user. */
  readonly overrides: readonly string[];
  /** The job's folder, which all machines share. */
  readonly folder: string;
  readonly adminKey: string;
}

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));
/** File in the job's folder with the controller's address. */
export const URL_FILE = "controller.json";

/** The state of the job. */
const JOB_STATE = "{folder}/state";
/** Others know the address, so a process that is restarted uses the same port. */
const KEPT_PORT = "server.port={port}";

/** Keys that the job sets for each process. */
const CHOSEN = [
  "server.host",
  "server.port",
  "server.probe_port",
  "server.socket",
  "server.workers_folder",
  "server.worker_tag",
  "server.advertised_host",
  "gateway.workers",
  "gateway.workers_folder",
  "gateway.discover",
  "storage.directory",
];

/**
 * Returns the job that runs a rollout as separate processes: engines, proxies behind a gateway, rollout workers beside the proxies,
 * and the controller.
 */
export function createRolloutJob(settings: RolloutJobSettings): JobSpec {
  const { options, folder, adminKey } = settings;
  const { nodes = 1, sbatchOption = [], workers = settings.config.rollout.workers ?? nodes } = options;
  const proxies = options.proxyWorkers ?? nodes;
  const env = { ROLLTAPE_ADMIN_API_KEY: adminKey };
  const roles: JobInput["roles"] = [
    ...createEngines(options),
    { role: "proxy", count: proxies, command: rolltape("serve", proxyArguments(settings)), env, ready: "line" },
    { role: "gateway", command: rolltape("gateway", gatewayArguments(settings)), env, ready: "line" },
    { role: "rollout", count: workers, command: rolltape("worker", workerArguments(settings)), env },
    {
      role: "controller",
      command: rolltape("controller", controllerArguments(settings)),
      env,
    },
  ];
  const groups = [{ roles: roles.map(({ role }) => role), nodes }];
  return parseJob({ name: "rolltape-rollout", folder, roles, slurm: { options: sbatchOption, groups } });
}

function createEngines({ engineCommand, engines = 1 }: RolloutOptions): JobInput["roles"] {
  if (engineCommand === undefined) return [];
  const ready = { url: "http://{node}:{port}/health" };
  return [{ role: "engine", count: engines, command: [...engineCommand], ready, ready_seconds: 1800 }];
}

function proxyArguments(settings: RolloutJobSettings): string[] {
  return [
    "server.shutdown_seconds=1",
    "rollout.agent.session_timeout_seconds=2147483",
    ...forward(settings, SERVE),
    "--started-by",
    "rollout",
    ...(settings.options.engineCommand === undefined ? [] : ["engine.urls={engine_urls}"]),
    "server.host={node}",
    KEPT_PORT,
    "server.probe_port=null",
    "server.socket=null",
    "server.workers_folder={folder}/workers",
    "server.workers=1",
    ...store(settings, "proxy-{index}"),
  ];
}

function gatewayArguments(settings: RolloutJobSettings): string[] {
  // A proxy that starts again without storage has lost its sessions, so that no call needs to wait for it.
  const wait = settings.config.storage.directory === null ? ["gateway.worker_return_seconds=0"] : [];
  const place = [
    "server.host={node}",
    KEPT_PORT,
    "server.probe_port=null",
    "server.socket=null",
    "gateway.workers_folder={folder}/workers",
  ];
  return [...forward(settings, GATEWAY), ...wait, ...place];
}

function workerArguments(settings: RolloutJobSettings): string[] {
  const place = [
    "--controller",
    `{folder}/${URL_FILE}`,
    "--proxy",
    "{proxy_url}",
    "--name",
    "worker-{index}",
    "--replace",
  ];
  return [...place, ...agentArguments(settings.options), ...forward(settings, WORKER)];
}

function controllerArguments(settings: RolloutJobSettings): string[] {
  const { options } = settings;
  const { data, out, groupSize, timeout, trainer, trainerMode, writeWait, fromVersion, layout } = options;
  const { sessions = sessionsFileOf(out) } = options;
  const named = {
    "--group-size": groupSize,
    "--timeout": timeout,
    "--trainer": trainer && JSON.stringify(trainer),
    "--trainer-mode": trainerMode,
    "--write-wait": writeWait,
    "--from-version": fromVersion,
  };
  return [
    "--proxy",
    "{gateway_url}",
    "--url-file",
    `{folder}/${URL_FILE}`,
    "--started-by",
    "rollout",
    "--data",
    resolve(data),
    "--out",
    resolve(out),
    "--layout",
    layout,
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)])),
    ...(sessions === false ? [] : ["--sessions", resolve(sessions)]),
    ...(options.keepSessions ? ["--keep-sessions"] : []),
    ...(options.transcripts === false ? ["--no-transcripts"] : []),
    ...(options.metrics === false ? ["--no-metrics"] : []),
    ...forward(settings, controllerCommand(options)),
    "server.host={node}",
    // The first start finds no job in a new folder, and begins one.
    "--resume",
    "--job-database",
    options.jobDatabase ?? JOB_STATE,
  ];
}

/** Returns the user's configuration, without keys that the command does not use. */
function forward({ options, overrides }: RolloutJobSettings, command: Command): string[] {
  const file = options.config === undefined ? [] : ["--config", resolve(options.config)];
  return [...file, ...withoutUnused(overrides, command, CHOSEN)];
}

function store({ config }: RolloutJobSettings, name: string): string[] {
  const { directory } = config.storage;
  return directory === null ? [] : [`storage.directory=${resolve(directory)}/${name}`];
}

function rolltape(command: string, args: readonly string[]): string[] {
  return [process.execPath, ...NODE_ARGUMENTS, MAIN, command, ...args];
}
