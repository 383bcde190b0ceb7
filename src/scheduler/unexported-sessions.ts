import { sleep } from "../support/async/sleep.js";
import type { ProcessRecord } from "./supervised-process.js";

const POLL_MS = 2_000;
const REPLY_MS = 10_000;

/** Waits until proxies have no more sessions that ended and were not exported. */
export class UnexportedSessions {
  readonly #urls: readonly string[];
  readonly #adminKey: string;

  constructor(records: readonly ProcessRecord[], adminKey: string) {
    this.#urls = records.flatMap(({ role, url }) => (role === "proxy" ? (url ?? []) : []));
    this.#adminKey = adminKey;
  }

  /** Returns their number on all proxies. A proxy that does not answer counts as one without sessions. */
  async count(): Promise<number> {
    const counts = await Promise.all(this.#urls.map((url) => this.#countAt(url).catch(() => 0)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when none is left or the signal aborts. */
  async gone(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.count()) > 0) await sleep(POLL_MS, signal).catch(() => undefined);
  }

  async #countAt(url: string): Promise<number> {
    const headers = { authorization: `Bearer ${this.#adminKey}` };
    const reply = await fetch(`${url}/rl/sessions?state=ended&limit=100000`, {
      headers,
      signal: AbortSignal.timeout(REPLY_MS),
    });
    const { sessions } = (await reply.json()) as { readonly sessions?: readonly unknown[] };
    return sessions?.length ?? 0;
  }
}
