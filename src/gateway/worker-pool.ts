import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { isLater, NEVER_SET, type WeightVersion, weightVersionSchema } from "../control/weight-version.js";
import type { Upstream } from "./upstream.js";
import type { WorkerAddress, WorkerAddresses } from "./worker-addresses.js";

/** `down`: it does not answer. The others are what its /health says. */
export type WorkerState = "ok" | "draining" | "engine_unavailable" | "down";

/** A worker as it was when it was last heard of. */
export interface Worker {
  readonly tag: string;
  readonly url: string;
  state: WorkerState;
  /** Free slots. */
  capacity: number;
  /** Sessions that are active or not exported yet. */
  sessions: number;
  /** Undefined until the worker has answered. */
  weightVersion?: WeightVersion | undefined;
}

const healthSchema = z.object({
  status: z.enum(["ok", "draining", "engine_unavailable"]),
  worker: z
    .object({
      tag: z.string(),
      capacity: z.int(),
      sessions: z.int(),
      weight_version: weightVersionSchema.optional(),
    })
    .optional(),
});

const HEALTH_TIMEOUT_MS = 3_000;
/** Keys of workers that nobody knows of ask for a look; between two such looks passes this long. */
const MIN_REFRESH_MS = 100;

export interface WorkerPoolOptions {
  readonly addresses: WorkerAddresses;
  readonly upstream: Upstream;
  readonly pollSeconds: number;
  readonly report: (problem: string) => void;
}

/**
 * Which workers there are. It is found out anew all the time and kept by nobody: a gateway that starts again, and several
 * side by side, find the same.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #byTag = new Map<string, Worker>();
  #refreshing: Promise<void> | undefined;
  #lookup: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #newestVersion = NEVER_SET;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Looks for the workers, and from then on again and again. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), this.#options.pollSeconds * 1000);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The weight version that was set last on any worker, dead ones included. */
  get newestVersion(): WeightVersion {
    return this.#newestVersion;
  }

  learnVersion(version: WeightVersion): void {
    if (isLater(version, this.#newestVersion)) this.#newestVersion = version;
  }

  all(): Worker[] {
    return [...this.#byTag.values()];
  }

  /** Those that take new sessions. */
  ready(): Worker[] {
    return this.all().filter(({ state }) => state === "ok");
  }

  /** Those that answer. */
  living(): Worker[] {
    return this.all().filter(({ state }) => state !== "down");
  }

  /** The worker with this tag, looked for once more where it is not known: it may have come just now. */
  async find(tag: string): Promise<Worker | undefined> {
    const known = this.#byTag.get(tag);
    if (known) return known;
    await (this.#lookup ??= this.#lookAgain().finally(() => {
      this.#lookup = undefined;
    }));
    return this.#byTag.get(tag);
  }

  /** Those who miss a worker at the same time wait together, and not for a look that began before they asked. */
  async #lookAgain(): Promise<void> {
    await this.#refreshing;
    const wait = this.#refreshedAt + MIN_REFRESH_MS - performance.now();
    if (wait > 0) await sleep(wait);
    await this.refresh();
  }

  /** Looks at every source and every worker. Who asks while that is being done waits for the same answer. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedAt = performance.now();
    });
    return this.#refreshing;
  }

  /** Asks only workers at addresses that are new since the last look. */
  async discover(): Promise<void> {
    const addresses = await this.#options.addresses.read();
    const known = new Set(this.all().map(({ url }) => url));
    await Promise.all(addresses.filter(({ url }) => !known.has(url)).map((address) => this.#ask(address)));
  }

  async #look(): Promise<void> {
    const addresses = await this.#options.addresses.read();
    const urls = new Set(addresses.map(({ url }) => url));
    for (const { tag, url } of this.all()) if (!urls.has(url)) this.#byTag.delete(tag);
    await Promise.all(addresses.map((address) => this.#ask(address)));
  }

  async #ask({ url, tag }: WorkerAddress): Promise<void> {
    if (tag !== undefined && !this.#byTag.has(tag)) {
      this.#put({ tag, url, state: "down", capacity: 0, sessions: 0 });
    }
    const heard = await this.#hear(url);
    if (!heard) {
      for (const worker of this.all()) if (worker.url === url) worker.state = "down";
      return;
    }
    if (!heard.worker) return this.#options.report(`${url} has no server.worker_tag: its sessions cannot be found`);
    const { weight_version: weightVersion, ...worker } = heard.worker;
    const state = heard.status;
    if (weightVersion) this.learnVersion(weightVersion);
    for (const other of this.all()) if (other.url === url && other.tag !== worker.tag) this.#byTag.delete(other.tag);
    this.#put({ ...worker, url, state, weightVersion });
  }

  async #hear(url: string): Promise<z.output<typeof healthSchema> | undefined> {
    try {
      const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
      const { body } = await this.#options.upstream.call(url, { method: "GET", path: "/health", signal });
      return healthSchema.parse(JSON.parse(body.toString()));
    } catch {
      return undefined;
    }
  }

  #put(worker: Worker): void {
    const known = this.#byTag.get(worker.tag);
    if (known && known.url !== worker.url && known.state !== "down") {
      this.#options.report(`${worker.url} and ${known.url} have the same tag ${worker.tag}: the first is left out`);
    } else if (known?.url === worker.url) {
      Object.assign(known, worker);
    } else {
      this.#byTag.set(worker.tag, worker);
    }
  }
}
