import { sleep } from "../support/async/sleep.js";
import type { ProcessRecord } from "./supervised-process.js";

const POLL_MS = 2_000;
const REPLY_MS = 10_000;
/** Maximum of a page, as `GET /rl/sessions` allows it. */
const MAX_LISTED = 100_000;

/** Counts the sessions of a job's proxies that ended and were not exported. */
export class UnexportedSessions {
  readonly #proxies: readonly ProcessRecord[];
  readonly #adminKey: string;
  /** The last number of each proxy. */
  readonly #counts = new Map<ProcessRecord, number>();

  constructor(records: readonly ProcessRecord[], adminKey: string) {
    this.#proxies = records.filter(({ role }) => role === "proxy");
    this.#adminKey = adminKey;
  }

  /** Returns their number on all proxies. A proxy that does not answer has its last number, unless it is lost. */
  async count(): Promise<number> {
    const counts = await Promise.all(this.#proxies.map((proxy) => this.#countOf(proxy)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when none is left or the signal aborts. */
  async gone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.count()) > 0) await sleep(POLL_MS, signal).catch(() => undefined);
  }

  async #countOf(proxy: ProcessRecord): Promise<number> {
    if (proxy.state === "lost" || proxy.state === "stopped") return 0;
    const count = await this.#ask(proxy.url).catch(() => undefined);
    if (count !== undefined) this.#counts.set(proxy, count);
    return this.#counts.get(proxy) ?? 0;
  }

  async #ask(url: string | undefined): Promise<number | undefined> {
    if (url === undefined) return undefined;
    const headers = { authorization: `Bearer ${this.#adminKey}` };
    const signal = AbortSignal.timeout(REPLY_MS);
    const reply = await fetch(`${url}/rl/sessions?state=ended&limit=${MAX_LISTED}`, { headers, signal });
    const { sessions } = (await reply.json()) as { readonly sessions?: readonly unknown[] };
    return sessions?.length;
  }
}
