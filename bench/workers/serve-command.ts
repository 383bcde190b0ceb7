import { type Child, cpuSecondsOfTree } from "../processes.js";
import { ADMIN_KEY, startProxy } from "../servers.js";
import type { Load, Target } from "./load.js";

export interface Pace {
  readonly perSecond: number;
  /** Processor time of all processes of the command per call, in milliseconds. */
  readonly cpu: number;
}

/** `rolltape serve` with a number of workers, and open sessions. */
export class ServeCommand {
  readonly workers: number;
  /** Sessions on the worker that has the most. */
  readonly mostSessions: number;
  readonly #proxy: Child;
  readonly #targets: readonly Target[];

  private constructor(workers: number, proxy: Child, targets: readonly Target[]) {
    this.workers = workers;
    this.#proxy = proxy;
    this.#targets = targets;
    const counts = new Map<string, number>();
    for (const { url } of targets) counts.set(url, (counts.get(url) ?? 0) + 1);
    this.mostSessions = Math.max(...counts.values());
  }

  static async start(workers: number, engines: readonly Child[], sessions: number): Promise<ServeCommand> {
    const urls = engines.map(({ url }) => url);
    const args = [`server.workers=${workers}`, `engine.urls=[${urls.join(",")}]`];
    const proxy = await startProxy({ engineUrl: urls[0] ?? "", connections: sessions, args });
    await post(proxy.url, "/grant_capacity", { slots: sessions });
    const targets: Target[] = [];
    for (let i = 0; i < sessions; i++) targets.push(await startSession(proxy.url));
    return new ServeCommand(workers, proxy, targets);
  }

  /** Lets agent processes make calls at once, each in its part of the sessions. */
  async measure(agents: readonly Child[], seconds: number): Promise<Pace> {
    const before = cpuSecondsOfTree(this.#proxy.pid);
    const began = performance.now();
    const counts = await Promise.all(
      agents.map(async ({ url }, index) => {
        const targets = this.#targets.filter((_, i) => i % agents.length === index);
        const load: Load = { targets, seconds };
        const { calls } = (await post(url, "/", load)) as { calls: number };
        return calls;
      }),
    );
    const calls = counts.reduce((sum, count) => sum + count, 0);
    const perSecond = calls / ((performance.now() - began) / 1000);
    return { perSecond, cpu: ((cpuSecondsOfTree(this.#proxy.pid) - before) * 1000) / calls };
  }

  stop(): Promise<void> {
    return this.#proxy.stop();
  }
}

async function startSession(url: string): Promise<Target> {
  const started = (await post(url, "/rl/start_session", {})) as { session_api_key: string; base_url?: string };
  return { url: started.base_url ?? url, key: started.session_api_key };
}

async function post(url: string, path: string, content: object): Promise<unknown> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
  const reply = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(content) });
  if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
  return reply.json();
}
