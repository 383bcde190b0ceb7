import { z } from "zod";
import { isLater, NEVER_SET, type WeightVersion, weightVersionSchema } from "../admin-api/weight-version.js";
import { WorkerContact } from "./contact/worker-contact.js";
import { WorkerReturns } from "./contact/worker-returns.js";
import { LookupBudget } from "./lookup-budget.js";
import { type WorkerWarning, workerWarningsSchema } from "./merge-warnings.js";
import { SharedRefresh } from "./shared-refresh.js";
import type { WorkerAddress, WorkerAddresses } from "./worker-addresses.js";
import type { WorkerConnections } from "./worker-connections.js";

/** `down`: the worker does not answer. The other states are those that its `/health` reports. */
export type WorkerState = ServingState | "down";

/** A worker as of its last health report. */
export interface Worker {
  readonly tag: string;
  readonly url: string;
  state: WorkerState;
  /** Free slots. */
  capacity: number;
  /** Sessions that are active, not exported yet, or whose export is not acknowledged. */
  sessions: number;
  /** Slots that this gateway is granting to the worker, which has not answered yet. */
  pendingSlots: number;
  /** Undefined until the worker has answered. */
  weightVersion?: WeightVersion | undefined;
  /** Features of its model that the worker does not support. */
  warnings?: readonly WorkerWarning[] | undefined;
  /** True once the worker has answered a health check. */
  hasAnswered?: boolean;
  /** True if its address comes from DNS. */
  readonly isDiscovered: boolean;
  /** True if its address is no longer in DNS. Its sessions go on while it answers, and it gets no new ones. */
  isLeaving: boolean;
  readonly contact: WorkerContact;
}

type WorkerReport = Omit<Worker, "contact" | "pendingSlots" | "isDiscovered" | "isLeaving">;

export interface WorkerPoolOptions {
  readonly addresses: WorkerAddresses;
  readonly upstream: WorkerConnections;
  readonly pollSeconds: number;
  /** Time without an answer after which a worker that calls wait for is unreachable. */
  readonly unreachableMilliseconds: number;
  /** Time for which calls wait for a worker after it left. 0: they fail at once. */
  readonly returnMilliseconds: number;
  readonly report: (problem: string) => void;
}

/**
 * The workers of a gateway. The pool gets its information by polling, so a gateway that restarts, or several gateways side by
 * side, find the same workers.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #byTag = new Map<string, Worker>();
  readonly #returns: WorkerReturns;
  readonly #refresh = new SharedRefresh(() => this.#pollAll());
  readonly #lookups = new LookupBudget();
  /** The addresses as they were last read. */
  #addresses: readonly WorkerAddress[] = [];
  /** Second addresses of workers that have an IPv4 and an IPv6 address. */
  readonly #aliases = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #newestVersion = NEVER_SET;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#returns = new WorkerReturns({
      milliseconds: options.returnMilliseconds,
      poll: () => this.#pollAbsent(),
    });
  }

  /** Finds the workers, and then polls them regularly. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), this.#options.pollSeconds * 1000);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#returns.close();
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

  /** Number of calls that wait for an absent worker. */
  get waiting(): number {
    return this.#returns.waiting;
  }

  /** Tags of the workers that cannot be reached but may return. Calls wait for them. */
  get absentTags(): string[] {
    return this.#returns.tags;
  }

  /** Number of addresses whose worker's tag is not known. If it is 0, a worker with an unknown tag no longer exists. */
  get unidentified(): number {
    return this.#addresses.filter(({ url }) => this.#at(url).length === 0 && !this.#aliases.has(url)).length;
  }

  /** Returns the workers that accept new sessions. */
  ready(): Worker[] {
    return this.all().filter(({ state, isLeaving }) => state === "ok" && !isLeaving);
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
    if (!this.#refresh.isNextRunning && !this.#lookups.take()) return undefined;
    await this.#refresh.runNext();
    const found = this.#byTag.get(tag);
    if (found) this.#lookups.refill();
    return found;
  }

  /**
   * Returns the worker with this tag, as {@link find} does. If it is absent, waits until it returns, possibly at another address. If
   * it does not return in time, returns its last known state.
   *
   * @param leave called only if the wait begins; returns a signal that ends it
   * @throws the signal's reason if it aborts during the wait
   */
  async locate(tag: string, leave: () => AbortSignal): Promise<Worker | undefined> {
    const found = this.#returns.isAbsent(tag) ? undefined : await this.find(tag);
    if (!this.#returns.isAbsent(tag)) return found;
    await this.#returns.wait(tag, leave());
    return this.#byTag.get(tag);
  }

  /**
   * Reports that no connection to a worker could be opened. Calls for it wait until it answers a health check.
   *
   * @returns true if the failed call can be sent again: calls wait for the worker, or it has returned at another address
   */
  markAbsent({ tag, url, contact }: Worker): boolean {
    const known = this.#byTag.get(tag);
    if (known?.url === url) {
      known.state = "down";
      // For an unreachable worker, the time limit counts from when it became unreachable.
      if (!contact.isUnreachable) this.#returns.left(tag);
      contact.suspect();
    }
    return this.#returns.isAbsent(tag) || (known !== undefined && known.url !== url);
  }

  /** Checks a worker whose connection broke during a call. Returns true if it is absent now, or has returned at another address. */
  async #hasLeft(worker: Worker): Promise<boolean> {
    if (this.#options.returnMilliseconds === 0) return false;
    return (await readHealth(this.#options.upstream, worker.url)) === undefined && this.markAbsent(worker);
  }

  /**
   * Waits for a worker that did not answer a call, if it has left. Returns it when it answers again; undefined if it has not left, does
   * not return in time, or the signal aborts.
   */
  async whenReturned(worker: Worker, signal: AbortSignal): Promise<Worker | undefined> {
    if (!(await this.#hasLeft(worker))) return undefined;
    const returned = await this.locate(worker.tag, () => signal).catch(() => undefined);
    return returned?.state === "down" ? undefined : returned;
  }

  /** Reads all sources and polls all workers. Calls during a refresh share it. */
  refresh(): Promise<void> {
    return this.#refresh.run();
  }

  /** Polls only workers at addresses that are new since the last refresh. */
  async discover(): Promise<void> {
    const addresses = await this.#readAddresses();
    const known = new Set(this.all().map(({ url }) => url));
    await Promise.all(addresses.filter(({ url }) => !known.has(url)).map((address) => this.#poll(address)));
  }

  /** Polls the addresses of absent workers, and new addresses. */
  async #pollAbsent(): Promise<void> {
    const absent = this.absentTags.flatMap((tag) => this.#byTag.get(tag) ?? []);
    await Promise.all([this.discover(), ...absent.map(({ url }) => this.#poll({ url }))]);
  }

  async #pollAll(): Promise<void> {
    const addresses = await this.#readAddresses();
    const urls = new Set(addresses.map(({ url }) => url));
    for (const worker of this.all()) {
      worker.isLeaving = !urls.has(worker.url);
      if (worker.isLeaving && !this.#mayStay(worker)) this.#remove(worker);
    }
    for (const url of this.#aliases) if (!urls.has(url)) this.#aliases.delete(url);
    const leaving = this.all().flatMap(({ url, isLeaving }) => (isLeaving ? [{ url }] : []));
    // Unreachable workers are probed by their contact. Polling them here would make every refresh wait for them.
    const unreachable = new Set(this.all().flatMap(({ url, contact }) => (contact.isUnreachable ? [url] : [])));
    const polled = [...addresses, ...leaving].filter(({ url }) => !unreachable.has(url));
    await Promise.all(polled.map((address) => this.#poll(address)));
  }

  /** DNS leaves out a worker that is not ready, such as one that is being stopped, although its sessions go on. */
  #mayStay({ tag, contact, isDiscovered }: Worker): boolean {
    return isDiscovered && (!contact.isUnreachable || this.#returns.isAbsent(tag));
  }

  async #readAddresses(): Promise<readonly WorkerAddress[]> {
    this.#addresses = await this.#options.addresses.read();
    return this.#addresses;
  }

  async #poll({ url, tag }: WorkerAddress): Promise<void> {
    if (tag !== undefined && !this.#byTag.has(tag)) {
      this.#put({ tag, url, state: "down", capacity: 0, sessions: 0 });
    }
    const health = await readHealth(this.#options.upstream, url);
    this.#aliases.delete(url);
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
    const { status: state, warnings } = health;
    if (weightVersion) this.learnVersion(weightVersion);
    // A server that restarts at the same address has another tag; the old one is gone.
    for (const other of this.#at(url)) if (other.tag !== worker.tag) this.#remove(other);
    this.#put({ ...worker, url, state, weightVersion, warnings, hasAnswered: true });
    for (const known of this.#at(url)) {
      known.contact.answered();
      this.#returns.returned(known.tag);
    }
  }

  #put(worker: WorkerReport): void {
    const known = this.#byTag.get(worker.tag);
    if (known && known.url !== worker.url && known.state !== "down") {
      if (isIPv6(known) !== isIPv6(worker)) return void this.#aliases.add(worker.url);
      this.#options.report(
        `workers ${known.url} and ${worker.url} have the same tag ${worker.tag}. ${worker.url} is ignored.`,
      );
    } else if (known?.url === worker.url) {
      Object.assign(known, worker);
    } else {
      const address = this.#addresses.find(({ url }) => url === worker.url);
      // Another server has started at the address of a worker that is no longer in DNS.
      if (!address) return;
      known?.contact.close();
      const found = { isDiscovered: address.isDiscovered ?? false, isLeaving: false, pendingSlots: 0 };
      this.#byTag.set(worker.tag, { ...worker, ...found, contact: this.#openContact(worker) });
    }
  }

  #remove({ tag, contact, hasAnswered }: Worker): void {
    contact.close();
    this.#byTag.delete(tag);
    // For an unreachable worker, the time limit counts from earlier. A worker that never answered may be gone for long.
    if (hasAnswered && !contact.isUnreachable) this.#returns.left(tag);
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
        this.#returns.left(tag);
        report(
          `worker ${tag} at ${url} is unreachable. Calls for its sessions wait for it or are refused until it answers.`,
        );
      },
    });
  }
}

function isIPv6({ url }: WorkerAddress): boolean {
  return url.startsWith("http://[");
}

const healthSchema = z.object({
  status: z.enum(["ok", "cordoned", "draining", "engine_unavailable", "storage_failed"]),
  warnings: workerWarningsSchema,
  worker: z
    .object({
      tag: z.string(),
      capacity: z.int(),
      sessions: z.int(),
      weight_version: weightVersionSchema.optional(),
    })
    .optional(),
});

type WorkerHealth = z.output<typeof healthSchema>;

/** The state of a worker that answers. */
type ServingState = WorkerHealth["status"];

const HEALTH_TIMEOUT_MS = 3_000;

/** Returns the health report of a worker; undefined if it does not answer, or if its answer is not a health report. */
async function readHealth(upstream: WorkerConnections, url: string): Promise<WorkerHealth | undefined> {
  try {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS);
    const { body } = await upstream.call(url, { method: "GET", path: "/health", signal });
    return healthSchema.parse(JSON.parse(body.toString()));
  } catch {
    return undefined;
  }
}
