import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { hasNamespaces, type Machine, Machines } from "../../helpers/machines.js";
import { hasPostgres, PostgresServer } from "../../helpers/postgres-server.js";
import type { JobProcesses } from "./job-processes.js";

const AGENT = `--agent=${fileURLToPath(new URL("./agent.mjs", import.meta.url))}#agent`;

const LEASE_SECONDS = 3;
/** A job that does not accept every task must end with a status of its own. */
const CONFIG = ["rollout.proxy_wait_seconds=60", "rollout.max_concurrent_rollouts=8", "rollout.min_accepted_share=1"];
const LEASES = [`rollout.lease_seconds=${LEASE_SECONDS}`];
const WORKERS = ["--workers=2", "--proxy-workers=2", ...LEASES];

/** Settings of a job. */
export interface JobSettings {
  /** An empty folder. */
  readonly folder: string;
  readonly data: string;
  readonly storage: boolean;
  readonly processes: JobProcesses;
}

/** A job that runs. */
export interface RunningJob {
  /** Restarts processes that no other process restarts, by victim. */
  readonly restart: Readonly<Record<string, () => Promise<void> | void>>;
  /** Process ids of victims that are no command of `rolltape`. */
  readonly others?: Readonly<Record<string, () => number | undefined>>;
  /** Drops all packets between the two machines. */
  readonly cut?: (seconds: number) => Promise<void>;
  readonly end?: () => Promise<void>;
}

/** How the processes of a job are arranged. */
export interface Topology {
  readonly name: string;
  /** Commands of `rolltape` whose processes are killed and frozen in turn, `postgres`, and `network`, which is cut. */
  readonly victims: readonly string[];
  /** Why this machine cannot run it; undefined if it can. */
  readonly missing?: string | undefined;
  readonly start: (settings: JobSettings) => Promise<RunningJob>;
}

const noNamespaces = hasNamespaces ? undefined : "it needs root and network namespaces";
const noPostgres = hasPostgres ? undefined : "it needs Debian's package postgresql";

export const TOPOLOGIES: readonly Topology[] = [
  { name: "one process", victims: ["rollout"], start: (settings) => startRollout(settings, []) },
  { name: "--proxy", victims: ["rollout", "serve"], start: startWithProxy },
  {
    name: "--proxy-workers 2 --workers 2",
    victims: ["rollout", "serve", "worker"],
    start: (settings) => startRollout(settings, WORKERS),
  },
  {
    name: "--job-folder",
    victims: ["rollout", "serve", "gateway", "worker", "controller"],
    start: (settings) => startRollout(settings, [...WORKERS, `--job-folder=${settings.folder}/job`]),
  },
  {
    name: "two controllers",
    victims: ["controller", "serve", "worker", "postgres"],
    missing: noPostgres,
    start: (settings) => startControllers(settings),
  },
  {
    name: "workers on another machine",
    victims: ["network"],
    missing: noNamespaces,
    start: (settings) => startOnTwoMachines(settings, ({ a, b }) => ({ proxy: a, controllers: [a], workers: b })),
  },
  {
    name: "proxy on another machine",
    victims: ["network"],
    missing: noNamespaces,
    start: (settings) => startOnTwoMachines(settings, ({ a, b }) => ({ proxy: a, controllers: [b], workers: b })),
  },
  {
    name: "two controllers on two machines",
    victims: ["network"],
    missing: noNamespaces ?? noPostgres,
    start: (settings) =>
      startOnTwoMachines(settings, ({ a, b }) => ({ proxy: a, controllers: [b, a], workers: b, postgres: a })),
  },
];

async function startRollout({ processes, ...settings }: JobSettings, more: readonly string[]): Promise<RunningJob> {
  const args = ["rollout", AGENT, ...jobArguments(settings), ...more, ...CONFIG];
  processes.startJob(args);
  const isDurable = settings.storage || more.some((argument) => argument.startsWith("--job-folder"));
  const restart = async () => {
    // Those that the killed process has started end by themselves.
    await sleep(2000);
    processes.startJob([...args, "--resume"]);
  };
  return { restart: isDurable ? { rollout: restart } : {} };
}

async function startWithProxy(settings: JobSettings): Promise<RunningJob> {
  const proxy = await startProxy(settings);
  const { restart } = await startRollout(settings, [`--proxy=${proxy.url}`]);
  return { restart: { ...restart, serve: proxy.restart } };
}

/** Where each process of a job with workers of its own runs. */
interface Places {
  readonly proxy?: Machine;
  /** One for each controller. The first to start has the job. */
  readonly controllers: readonly (Machine | undefined)[];
  readonly workers?: Machine;
  /** Undefined: on this machine, if there are two controllers. */
  readonly postgres?: Machine;
}

/** The processes that an operator starts by hand: controllers, a proxy and two workers. */
async function startControllers(
  settings: JobSettings,
  places: Places = { controllers: [undefined, undefined] },
): Promise<RunningJob> {
  const { processes, folder } = settings;
  const { controllers } = places;
  const proxy = await startProxy(settings, places.proxy);
  const postgres = controllers.length > 1 ? await startPostgres(places.postgres) : undefined;
  const database = postgres?.server.url ?? join(folder, "state");
  const urlFile = join(folder, "controller.json");
  const job = [`--proxy=${proxy.url}`, `--url-file=${urlFile}`, `--job-database=${database}`, "--resume"];
  const shared = [...jobArguments({ ...settings, storage: false }), ...job, ...CONFIG, ...LEASES];
  const startController = (machine: Machine | undefined) =>
    processes.startJob(["controller", ...shared, ...listenOn(machine)], machine?.prefix);
  for (const machine of controllers) {
    startController(machine);
    // The first one has the job before the second comes.
    await sleep(1500);
  }
  const startWorker = () => {
    const args = ["worker", AGENT, `--controller=${urlFile}`, CONFIG[0] ?? ""];
    void processes.start(args, places.workers?.prefix).catch(() => undefined);
  };
  startWorker();
  startWorker();
  return {
    restart: {
      serve: proxy.restart,
      worker: startWorker,
      ...(controllers.length > 1 ? {} : { controller: () => startController(controllers[0]) }),
      ...(postgres
        ? {
            postgres: async () => {
              await sleep(3000);
              await postgres.server.run();
            },
          }
        : {}),
    },
    ...(postgres ? { others: { postgres: () => postgres.server.pid }, end: postgres.end } : {}),
  };
}

async function startOnTwoMachines(
  settings: JobSettings,
  arrange: (machines: { readonly a: Machine; readonly b: Machine }) => Places,
): Promise<RunningJob> {
  const machines = new Machines(["a", "b"]);
  try {
    const running = await startControllers(settings, arrange({ a: machines.get("a"), b: machines.get("b") }));
    const end = async () => {
      await running.end?.();
      machines[Symbol.dispose]();
    };
    return { ...running, cut: (seconds) => machines.cut(seconds), end };
  } catch (error) {
    machines[Symbol.dispose]();
    throw error;
  }
}

/** Starts a proxy that comes back on its port. */
async function startProxy(
  { processes, folder, storage }: JobSettings,
  machine?: Machine,
): Promise<{ readonly url: string; readonly restart: () => Promise<void> }> {
  const port = await findFreePort();
  const stored = storage ? [`storage.directory=${folder}/proxy-store`] : [];
  const listens = listenOn(machine).slice(0, 1);
  const args = ["serve", ...listens, `server.port=${port}`, "server.log_level=error", ...stored];
  const start = async () => void (await processes.start(args, machine?.prefix));
  await start();
  return { url: `http://${machine?.host ?? "127.0.0.1"}:${port}`, restart: start };
}

/** Starts PostgreSQL with a folder of its own, because its user cannot enter the job's. */
async function startPostgres(machine: Machine | undefined) {
  const data = mkdtempSync(join(tmpdir(), "rolltape-postgres-"));
  const server = await PostgresServer.start({ data, ...machine });
  const end = async () => {
    await server.kill();
    rmSync(data, { recursive: true, force: true });
  };
  return { server, end };
}

function listenOn(machine: Machine | undefined): string[] {
  return machine ? [`server.host=${machine.host}`, "server.port=0"] : [];
}

function jobArguments({ folder, data, storage }: Omit<JobSettings, "processes">): string[] {
  const stored = storage ? [`storage.directory=${folder}/store`] : [];
  return [`--data=${data}`, `--out=${folder}/out/batch.safetensors`, ...stored];
}
