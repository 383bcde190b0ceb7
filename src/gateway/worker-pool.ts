import { setTimeout as sleep } from "node:timers/promises";
import { isLater, NEVER_SET, type WeightVersion } from "../control/weight-version.js";
import { readHealth, type ServingState } from "./contact/read-health.js";
import { WorkerContact } from "./contact/worker-contact.js";
import { LookupBudget } from "./lookup-budget.js";
import type { Upstream } from "./upstream.js";
import type { WorkerAddress, WorkerAddresses } from "./worker-addresses.js";

/** `down`: the worker does not answer. The other states are those that its `/health` reports. */
export type WorkerState = ServingState | "down";

/** A worker as of its last health report. */
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
  readonly contact: WorkerContact;
}

type WorkerReport = Omit<Worker, "contact">;

/** Minimum time between two refreshes for unknown tags. Calls within this time share the next refresh. */
const MIN_REFRESH_MS = 100;

export interface WorkerPoolOptions {
  readonly addresses: WorkerAddresses;
  readonly upstream: Upstream;
  readonly pollSeconds: number;
  /** Time without an answer after which a worker that calls wait for is unreachable. */
  readonly unreachableMilliseconds: number;
  readonly report: (problem: string) => void;
}

/**
 * The workers of a gateway. The pool learns everything by polling, so a gateway that restarts, or several gateways side by
 * side, find the same workers.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #byTag = new Map<string, Worker>();
  #refreshing: Promise<void> | undefined;
  readonly #lookups = new LookupBudget();
  /** The refresh for which all calls of {@link find} with an unknown tag wait. */
  #lookup: Promise<void> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #newestVersion = NEVER_SET;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Finds the workers, and then polls them regularly. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), this.#options.pollSeconds * 1000);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    for (const { contact } of this.all()) contact.close();
  }

  /** The weight version that was set last on any worker, including workers that are down. */
  get newestVersion(): WeightVersion {
    return this.#newestVersion;
  }

  learnVersion(version: WeightVersion): void {
    if (isLater(version, this.#newestVersion)) this.#newestVersion = version;
  }

  all(): Worker[] {
    return [...this.#byTag.values()];
  }

  /** Returns the workers that accept new sessions. */
  ready(): Worker[] {
    return this.all().filter(({ state }) => state === "ok");
  }

  /** Returns the workers that answer. */
  living(): Worker[] {
    return this.all().filter(({ state }) => state !== "down");
  }

  /**
   * Returns the worker with this tag. If the tag is unknown, refreshes first, because the worker may have started just now. Skips
   * the refresh if there were too many unknown tags recently.
   */
  async find(tag: string): Promise<Worker | undefined> {
    const known = this.#byTag.get(tag);
    if (known) return known;
    if (!this.#lookup && !this.#lookups.take()) return undefined;
    await (this.#lookup ??= this.#refreshForUnknown().finally(() => {
      this.#lookup = undefined;
    }));
    const found = this.#byTag.get(tag);
    if (found) this.#lookups.refill();
    return found;
  }

  /** A refresh in progress may have read the sources before the worker appeared, so this starts another one after it. */
  async #refreshForUnknown(): Promise<void> {
    await this.#refreshing;
    const wait = this.#refreshedAt + MIN_REFRESH_MS - performance.now();
    if (wait > 0) await sleep(wait);
    await this.refresh();
  }

  /** Reads all sources and polls all workers. Calls during a refresh share it. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#pollAll().finally(() => {
      this.#refreshing = undefined;
      this.#refreshedAt = performance.now();
    });
    return this.#refreshing;
  }

  /** Polls only workers at addresses that are new since the last refresh. */
  async discover(): Promise<void> {
    const addresses = await this.#options.addresses.read();
    const known = new Set(this.all().map(({ url }) => url));
    await Promise.all(addresses.filter(({ url }) => !known.has(url)).map((address) => this.#poll(address)));
  }

  async #pollAll(): Promise<void> {
    const addresses = await this.#options.addresses.read();
    const urls = new Set(addresses.map(({ url }) => url));
    for (const worker of this.all()) if (!urls.has(worker.url)) this.#remove(worker);
    // Unreachable workers are probed by their contact. Polling them here would make every refresh wait for them.
    const unreachable = new Set(this.all().flatMap(({ url, contact }) => (contact.isUnreachable ? [url] : [])));
    await Promise.all(addresses.filter(({ url }) => !unreachable.has(url)).map((address) => this.#poll(address)));
  }

  async #poll({ url, tag }: WorkerAddress): Promise<void> {
    if (tag !== undefined && !this.#byTag.has(tag)) {
      this.#put({ tag, url, state: "down", capacity: 0, sessions: 0 });
    }
    const health = await readHealth(this.#options.upstream, url);
    if (!health) {
      for (const worker of this.#at(url)) {
        worker.state = "down";
        worker.contact.suspect();
      }
      return;
    }
    if (!health.worker) {
      const problem = `worker ${url} has no tag, so its sessions cannot be found. Set server.worker_tag. It is ignored.`;
      return this.#options.report(problem);
    }
    const { weight_version: weightVersion, ...worker } = health.worker;
    const state = health.status;
    if (weightVersion) this.learnVersion(weightVersion);
    // A server that restarts at the same address has another tag; the old one is gone.
    for (const other of this.#at(url)) if (other.tag !== worker.tag) this.#remove(other);
    this.#put({ ...worker, url, state, weightVersion });
    for (const known of this.#at(url)) known.contact.answered();
  }

  #put(worker: WorkerReport): void {
    const known = this.#byTag.get(worker.tag);
    if (known && known.url !== worker.url && known.state !== "down") {
      this.#options.report(
        `workers ${known.url} and ${worker.url} have the same tag ${worker.tag}. ${worker.url} is ignored.`,
      );
    } else if (known?.url === worker.url) {
      Object.assign(known, worker);
    } else {
      if (known) this.#remove(known);
      this.#byTag.set(worker.tag, { ...worker, contact: this.#openContact(worker) });
    }
  }

  #remove({ tag, contact }: Worker): void {
    contact.close();
    this.#byTag.delete(tag);
  }

  #at(address: string): Worker[] {
    return this.all().filter(({ url }) => url === address);
  }

  #openContact({ url, tag }: WorkerReport): WorkerContact {
    const { upstream, unreachableMilliseconds, report } = this.#options;
    return new WorkerContact({
      unreachableMilliseconds,
      probe: (signal) => upstream.call(url, { method: "GET", path: "/livez", signal }),
      onChange: (isUnreachable) => {
        const worker = this.#byTag.get(tag);
        if (worker?.url !== url) return;
        // Another server may have started at the address, so only a health report makes the worker ready.
        if (!isUnreachable) return void this.#poll({ url });
        worker.state = "down";
        report(`worker ${tag} at ${url} is unreachable. Calls for its sessions are refused until it answers.`);
      },
    });
  }
}
