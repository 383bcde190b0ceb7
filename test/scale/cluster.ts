import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Machines } from "../helpers/machines.js";
import { PostgresServer } from "../helpers/postgres-server.js";
import { Seaweed, s3Environment } from "../helpers/seaweed.js";
import { writeTinyCheckpoint } from "../helpers/tiny-checkpoint.js";
import { MachinePrograms, type ProgramOptions } from "./machine-programs.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const AGENT = `${fileURLToPath(new URL("./agent.mjs", import.meta.url))}#agent`;
const ENGINE = fileURLToPath(new URL("./engine-process.ts", import.meta.url));
const BUCKET_PROGRAM = fileURLToPath(new URL("./bucket.ts", import.meta.url));
const BUCKET = "scale";

const PROXIES = ["proxy1", "proxy2", "proxy3"] as const;
const CONTROLLERS = ["controller1", "controller2"] as const;
const WORKERS = ["worker1", "worker2"] as const;
const GATEWAYS = ["gateway1", "gateway2"] as const;
const OTHERS = ["engine", "postgres", "s3", "haproxy"] as const;
/** In the order in which they are turned on. */
export const MACHINES = [...OTHERS, ...GATEWAYS, ...PROXIES, ...CONTROLLERS, ...WORKERS] as const;
export type MachineName = (typeof MACHINES)[number];

const PORT = 8090;
/** Longer than a machine is off, and than the network is cut. */
const WAIT_SECONDS = 60;
/** A machine that restarts takes some seconds. */
const OFF_MS = 3000;

export interface JobFiles {
  /** Disks of the machines, and files of the job. */
  readonly folder: string;
  /** Tasks. */
  readonly data: string;
  /** The program of SeaweedFS. */
  readonly seaweed: string;
  /** Gets one line for each episode that an agent has finished. */
  readonly done: string;
}

/**
 * One rollout job on thirteen machines: three proxies behind two gateways and HAProxy, two controllers on PostgreSQL, two rollout workers, an
 * engine, and an S3 store for the batches and ended sessions.
 */
export class Cluster implements AsyncDisposable {
  readonly #files: JobFiles;
  readonly #machines = new Machines<MachineName>(MACHINES);
  readonly #programs: ReadonlyMap<MachineName, MachinePrograms>;
  #postgres: PostgresServer | undefined;
  #seaweed: Seaweed | undefined;
  readonly #ended = new Set<MachineName>();

  constructor(files: JobFiles) {
    this.#files = files;
    const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: "sk-admin-of-a-cluster", SCALE_DONE_FILE: files.done };
    this.#programs = new Map(
      MACHINES.map((name) => [name, new MachinePrograms(this.#machines.get(name), { ...env, TMPDIR: files.folder })]),
    );
  }

  /** True once both controllers have ended the job, because each uploads its own batches. */
  get isDone(): boolean {
    return this.#ended.size === CONTROLLERS.length;
  }

  /** Turns on all machines. */
  async start(): Promise<void> {
    await writeTinyCheckpoint(this.#file("model"), 1);
    for (const name of MACHINES) await this.#turnOn(name);
  }

  /** Turns a machine off without warning, and on again. */
  async restart(name: MachineName): Promise<void> {
    this.#machines.turnOff(name);
    this.#of(name).turnedOff();
    await new Promise((resolve) => setTimeout(resolve, OFF_MS));
    this.#machines.turnOn(name);
    await this.#turnOn(name);
  }

  /** Cuts the network between all machines. */
  cut(seconds: number): Promise<void> {
    return this.#machines.cut(seconds);
  }

  /** The end of each machine's standard error. */
  get logs(): string {
    return [...this.#programs].map(([name, { log }]) => `--- ${name}\n${log}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const name of MACHINES) {
      this.#of(name).turnedOff();
      this.#machines.turnOff(name);
    }
    this.#machines[Symbol.dispose]();
  }

  #turnOn(name: MachineName): Promise<void> {
    if (isOneOf(GATEWAYS, name)) return this.#startGateway(name);
    if (isOneOf(PROXIES, name)) return this.#startProxy(name);
    if (isOneOf(CONTROLLERS, name)) return this.#startController(name);
    if (isOneOf(WORKERS, name)) return this.#startWorker(name);
    const start = {
      engine: () => this.#startEngine(),
      postgres: () => this.#startPostgres(),
      s3: () => this.#startSeaweed(),
      haproxy: () => this.#startHaproxy(),
    };
    return start[name]();
  }

  #startEngine(): Promise<void> {
    const program = [process.execPath, "--import", "tsx", ENGINE, this.#host("engine"), `${PORT}`];
    return this.#of("engine").start(program, { printsLine: true });
  }

  async #startPostgres(): Promise<void> {
    if (this.#postgres) return this.#postgres.run();
    const data = this.#file("postgres");
    mkdirSync(data);
    // Its user is not the one that runs the test.
    chmodSync(this.#files.folder, 0o755);
    this.#postgres = await PostgresServer.start({ data, ...this.#machines.get("postgres") });
  }

  async #startSeaweed(): Promise<void> {
    if (this.#seaweed) return this.#seaweed.run();
    const data = this.#file("s3");
    mkdirSync(data);
    this.#seaweed = await Seaweed.start(this.#files.seaweed, data, this.#machines.get("s3"));
    const environment = s3Environment(this.#seaweed.port, this.#host("s3"));
    for (const programs of this.#programs.values()) programs.add(environment);
    await this.#of("s3").run([process.execPath, "--import", "tsx", BUCKET_PROGRAM, "create", BUCKET]);
  }

  /** Downloads the batches from the store into a folder. */
  download(folder: string): Promise<void> {
    return this.#of("s3").run([process.execPath, "--import", "tsx", BUCKET_PROGRAM, "download", BUCKET, folder]);
  }

  #startProxy(name: MachineName): Promise<void> {
    return this.#rolltape(name, [
      "serve",
      `storage.archive=s3://${BUCKET}/sessions`,
      ...this.#listen(name),
      `server.worker_tag=${name}`,
      "engine.type=sglang",
      `engine.urls=[${this.#url("engine")}]`,
      `model.path=${this.#file("model")}`,
      `storage.directory=${this.#file(name)}`,
    ]);
  }

  #startGateway(name: MachineName): Promise<void> {
    const waits = `gateway.worker_return_seconds=${WAIT_SECONDS}`;
    return this.#rolltape(name, ["gateway", ...this.#listen(name), this.#workers, waits]);
  }

  async #startHaproxy(): Promise<void> {
    const programs = this.#of("haproxy");
    const [file, pid] = [this.#file("haproxy.cfg"), this.#file("haproxy.pid")];
    const listen = `${this.#host("haproxy")}:${PORT}`;
    const write = [
      process.execPath,
      MAIN,
      "proxy-config",
      "haproxy",
      "--listen",
      listen,
      ...GATEWAYS.flatMap((name) => ["--gateway", this.#url(name)]),
      "--out",
      file,
      this.#workers,
      "gateway.unreachable_seconds=4",
      "server.log_level=error",
    ];
    await programs.run(write);
    await programs.start(["haproxy", "-W", "-f", file, "-p", pid]);
    await programs.start([...write, "--watch", "--reload", `kill -USR2 $(cat ${pid})`]);
  }

  #startController(name: MachineName): Promise<void> {
    const onSuccess = () => void this.#ended.add(name);
    const args = [
      "controller",
      ...this.#listen(name),
      `--proxy=${this.#url("haproxy")}`,
      `--data=${this.#files.data}`,
      // On the disk of its machine. The store has the batches of both.
      `--out=${this.#file(`${name}-out`)}/batch.safetensors`,
      `storage.directory=${this.#file(name)}`,
      `storage.archive=s3://${BUCKET}/batches`,
      `--url-file=${this.#file("controller.json")}`,
      `--job-database=${this.#postgres?.url}`,
      "--resume",
      "--no-transcripts",
      "--no-metrics",
      "rollout.consumer_batch_size=50",
      "rollout.max_concurrent_rollouts=48",
      "rollout.min_accepted_share=1",
      "rollout.lease_seconds=10",
      "rollout.max_attempts=20",
      `rollout.proxy_wait_seconds=${WAIT_SECONDS}`,
    ];
    return this.#rolltape(name, args, { onSuccess });
  }

  #startWorker(name: MachineName): Promise<void> {
    const controller = `--controller=${this.#file("controller.json")}`;
    const waits = `rollout.proxy_wait_seconds=${WAIT_SECONDS}`;
    return this.#rolltape(name, ["worker", `--agent=${AGENT}`, controller, waits], {});
  }

  #rolltape(name: MachineName, args: readonly string[], options: ProgramOptions = { printsLine: true }): Promise<void> {
    return this.#of(name).start([process.execPath, MAIN, ...args, "server.log_level=error"], options);
  }

  #of(name: MachineName): MachinePrograms {
    const programs = this.#programs.get(name);
    if (!programs) throw new Error(`no machine ${name}`);
    return programs;
  }

  get #workers(): string {
    return `gateway.workers=[${PROXIES.map((name) => this.#url(name)).join()}]`;
  }

  #file(name: string): string {
    return join(this.#files.folder, name);
  }

  #host(name: MachineName): string {
    return this.#machines.get(name).host;
  }

  #url(name: MachineName): string {
    return `http://${this.#host(name)}:${PORT}`;
  }

  #listen(name: MachineName): string[] {
    return [`server.host=${this.#host(name)}`, `server.port=${PORT}`];
  }
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return names.some((each) => each === name);
}
