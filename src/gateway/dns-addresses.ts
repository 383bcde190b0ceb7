import { Resolver } from "node:dns/promises";
import { untilAborted } from "../support/async/until-aborted.js";

/** A name whose A and AAAA records are the addresses of workers, such as that of a headless Service of Kubernetes. */
export interface WorkerName {
  /** The whole name: it is not completed by the machine's search domains. */
  readonly name: string;
  /** Port of all workers. */
  readonly port: number;
  /** Addresses of DNS servers. Default: those of the machine. */
  readonly servers?: readonly string[] | undefined;
  /** Minimum time between two queries. Default: 2 s. */
  readonly minMilliseconds?: number | undefined;
}

interface AddressRecord {
  readonly address: string;
  /** Seconds for which the record may be used. */
  readonly ttl: number;
}

const MIN_MS = 2_000;
/** New workers are found after this time, whatever the TTL of the records. */
const MAX_MS = 30_000;
/** Time for which {@link DnsAddresses.read} waits for a query. Later, the answer counts for the next read. */
const WAIT_MS = 1_000;

/** The name does not exist, or has no records of the type. */
const NO_RECORDS: ReadonlySet<string | undefined> = new Set(["ENOTFOUND", "ENODATA"]);

/** Reads the addresses of workers from DNS. If DNS servers fail, the last addresses stay valid. */
export class DnsAddresses {
  readonly #worker: WorkerName;
  readonly #report: (problem: string) => void;
  readonly #resolver = new Resolver({ timeout: 1_000, tries: 2 });
  #ipv4: readonly AddressRecord[] = [];
  #ipv6: readonly AddressRecord[] = [];
  #query: Promise<void> | undefined;
  /** Time of the next query, on the clock of `performance.now()`. */
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(worker: WorkerName, report: (problem: string) => void) {
    this.#worker = worker;
    this.#report = report;
    if (worker.servers) this.#resolver.setServers(worker.servers);
  }

  /** Returns the URLs of the workers. Queries DNS if the records are too old. */
  async read(): Promise<string[]> {
    if (performance.now() >= this.#dueAt) this.#query ??= this.#resolve().finally(() => (this.#query = undefined));
    if (this.#query) await untilAborted(this.#query, AbortSignal.timeout(WAIT_MS)).catch(() => undefined);
    const { port } = this.#worker;
    return [
      ...this.#ipv4.map(({ address }) => `http://${address}:${port}`),
      ...this.#ipv6.map(({ address }) => `http://[${address}]:${port}`),
    ];
  }

  async #resolve(): Promise<void> {
    const { name, minMilliseconds = MIN_MS } = this.#worker;
    const [ipv4, ipv6] = await Promise.all([
      this.#readRecords(this.#resolver.resolve4(name, { ttl: true })),
      this.#readRecords(this.#resolver.resolve6(name, { ttl: true })),
    ]);
    this.#ipv4 = ipv4 ?? this.#ipv4;
    this.#ipv6 = ipv6 ?? this.#ipv6;
    if (ipv4?.length === 0 && ipv6?.length === 0) this.#report(`gateway.discover: ${name} has no A or AAAA record`);
    const ttls = [...(ipv4 ?? []), ...(ipv6 ?? [])].map(({ ttl }) => ttl * 1_000);
    const isComplete = ipv4 && ipv6 && ttls.length > 0;
    this.#dueAt =
      performance.now() + (isComplete ? Math.max(minMilliseconds, Math.min(MAX_MS, ...ttls)) : minMilliseconds);
  }

  /** Returns undefined if the DNS servers fail. */
  async #readRecords(answer: Promise<AddressRecord[]>): Promise<AddressRecord[] | undefined> {
    try {
      return await answer;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (NO_RECORDS.has(code)) return [];
      this.#report(`gateway.discover: ${message}. The addresses that are known stay in use.`);
      return undefined;
    }
  }
}
