import { Pool } from "undici";
import type { Child } from "../processes.js";
import { ADMIN_KEY, type ProxyOptions, startProxy, startScript } from "../servers.js";

const JSON_TYPE = { "content-type": "application/json" };

type ProxyProcessOptions = Pick<ProxyOptions, "args" | "nodeArguments" | "env">;

/** A server under load. */
export interface Target {
  readonly url: string;
  readonly pid: number;
  readonly pool: Pool;
  /** Returns the processor time that its process has used so far, in seconds. */
  cpuSeconds(): number;
}

/** Returns a server with a pool of so many connections to it. */
export function toTarget(child: Child, connections: number): Target {
  const pool = new Pool(child.url, { connections, headersTimeout: 0, bodyTimeout: 0 });
  return { url: child.url, pid: child.pid, pool, cpuSeconds: () => child.cpuSeconds() };
}

/** An engine and a proxy that only forwards bytes to it. They are the same for every measurement, so several rigs can share them. */
export class Reference {
  private constructor(
    readonly engine: Child,
    readonly passThrough: Child,
  ) {}

  static async start(): Promise<Reference> {
    const engine = await startScript(new URL("wire-engine-process.ts", import.meta.url));
    return new Reference(engine, await startScript(new URL("pass-through-process.ts", import.meta.url), engine.url));
  }

  async stop(): Promise<void> {
    await this.passThrough.stop();
    await this.engine.stop();
  }
}

interface RigOptions extends ProxyProcessOptions {
  /** Base path of the engine's API. With `/slow`, the engine waits before it answers. */
  readonly enginePath?: string;
  /** A reference that the rig does not stop, because others use it. Default: one that the rig starts and stops. */
  readonly reference?: Reference;
}

/** An engine, the proxy and a proxy that only forwards bytes, each in a separate process. This process sends the calls. */
export class Rig {
  readonly proxy: Target;
  readonly passThrough: Target;
  readonly engineUrl: string;
  /** What the rig stops when it is closed, in this order. */
  readonly #owned: readonly { stop(): Promise<void> }[];

  private constructor(
    proxy: Target,
    passThrough: Target,
    engineUrl: string,
    owned: readonly { stop(): Promise<void> }[],
  ) {
    this.proxy = proxy;
    this.engineUrl = engineUrl;
    this.passThrough = passThrough;
    this.#owned = owned;
  }

  static async start(
    connections: number,
    { enginePath = "", reference: shared, ...options }: RigOptions = {},
  ): Promise<Rig> {
    const reference = shared ?? (await Reference.start());
    const { engine, passThrough } = reference;
    const proxy = await startProxy({ engineUrl: engine.url + enginePath, connections, ...options });
    const owned = shared ? [proxy] : [proxy, reference];
    return new Rig(toTarget(proxy, connections), toTarget(passThrough, connections), engine.url, owned);
  }

  /** Starts a session and returns its key. */
  async session(): Promise<string> {
    await this.#post("/grant_capacity");
    return ((await this.#post("/rl/start_session")) as { session_api_key: string }).session_api_key;
  }

  /** Returns a metric of the proxy, in the metric's unit. */
  async metric(name: string): Promise<number> {
    const { body } = await this.proxy.pool.request({ path: "/metrics", method: "GET" });
    const line = (await body.text()).split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }

  async close(): Promise<void> {
    await Promise.all([this.proxy.pool.destroy(), this.passThrough.pool.destroy()]);
    for (const each of this.#owned) await each.stop();
  }

  async #post(path: string): Promise<unknown> {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${ADMIN_KEY}` };
    const reply = await this.proxy.pool.request({ path, method: "POST", headers, body: "{}" });
    return reply.body.json();
  }
}

/** Sends a chat call, and returns the body of its answer as text. */
export async function chat({ pool }: Pick<Target, "pool">, key: string, body: string | Buffer): Promise<string> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
  const reply = await pool.request({ path: "/v1/chat/completions", method: "POST", headers, body });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`the proxy answered ${reply.statusCode}: ${text.slice(0, 500)}`);
  return text;
}
