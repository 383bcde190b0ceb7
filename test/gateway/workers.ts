import type { FastifyBaseLogger } from "fastify";
import { onTestFinished } from "vitest";
import { parseConfig, readConnectionLimits } from "../../src/config/index.js";
import type { Engine } from "../../src/engine/engine.js";
import { createGateway } from "../../src/gateway/app.js";
import type { WorkerProcessState } from "../../src/gateway/context.js";
import { WorkerAddresses, type WorkerSources } from "../../src/gateway/worker-addresses.js";
import { WorkerConnections } from "../../src/gateway/worker-connections.js";
import { WorkerPool } from "../../src/gateway/worker-pool.js";
import type { ConnectionLimits } from "../../src/http/create-app.js";
import type { Telemetry } from "../../src/telemetry/telemetry.js";
import { ADMIN_KEY, Proxy, type ProxyOptions, Reply } from "../helpers/proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

const DEFAULTS = parseConfig({});

/** A listening proxy, one of several workers. */
export interface WorkerServer<E extends Engine = ScriptedEngine> {
  readonly tag: string;
  readonly proxy: Proxy<E>;
  readonly url: string;
  /** Stops the worker like a machine that is switched off: responses in progress are cut. */
  kill(): Promise<void>;
}

export async function startWorker<E extends Engine = ScriptedEngine>(
  tag: string,
  options: ProxyOptions<E> & { readonly port?: number } = {},
): Promise<WorkerServer<E>> {
  const proxy = await Proxy.start({ ...options, workerTag: tag });
  const url = await proxy.app.listen({ host: "127.0.0.1", port: options.port ?? 0 });
  let closed: Promise<void> | undefined;
  const kill = () => {
    proxy.app.server.closeAllConnections();
    return (closed ??= proxy.close());
  };
  onTestFinished(kill);
  return { tag, proxy, url, kill };
}

/** Settings of a gateway: how long it waits for workers, whether it returns their addresses, and its connection limits. */
export interface CallSettings {
  readonly direct?: boolean;
  readonly controlMilliseconds?: number;
  readonly unreachableMilliseconds?: number;
  /** Default: 0, so that calls for a worker that left fail at once. */
  readonly returnMilliseconds?: number;
  readonly connections?: Partial<ConnectionLimits>;
  readonly processes?: () => readonly WorkerProcessState[];
  readonly logger?: FastifyBaseLogger;
  readonly accessLog?: boolean;
  readonly telemetry?: Telemetry | undefined;
  /** Folder of batches in shared memory. */
  readonly sharedMemory?: string;
}

/** A listening gateway with a client for tests. */
export class Gateway {
  readonly url: string;
  readonly pool: WorkerPool;
  readonly problems: readonly string[];

  private constructor(url: string, pool: WorkerPool, problems: readonly string[]) {
    this.url = url;
    this.pool = pool;
    this.problems = problems;
  }

  static async start(
    sources: Partial<WorkerSources>,
    pollSeconds = 60,
    maxBodyBytes = 1 << 26,
    strictControlFields = true,
    {
      controlMilliseconds = 5000,
      unreachableMilliseconds = 10_000,
      returnMilliseconds = 0,
      direct = false,
      connections = {},
      processes,
      logger,
      accessLog = false,
      telemetry,
      sharedMemory,
    }: CallSettings = {},
  ): Promise<Gateway> {
    const problems: string[] = [];
    const report = (problem: string) => void problems.push(problem);
    const upstream = new WorkerConnections();
    const addresses = new WorkerAddresses({ urls: [], ...sources }, report);
    const pool = new WorkerPool({
      addresses,
      upstream,
      pollSeconds,
      unreachableMilliseconds,
      returnMilliseconds,
      report,
    });
    await pool.start();
    const { app } = await createGateway({
      pool,
      upstream,
      controlMilliseconds,
      direct,
      publicMetrics: true,
      maxBodyBytes,
      connections: { ...readConnectionLimits(DEFAULTS), ...connections },
      bodyBytesInFlight: DEFAULTS.server.body_bytes_in_flight,
      strictControlFields,
      adminKey: ADMIN_KEY,
      processes,
      logger,
      accessLog,
      telemetry,
      ...(sharedMemory === undefined ? {} : { sharedMemory: { directory: sharedMemory, maxBytes: 64 << 20 } }),
    });
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(async () => {
      pool.close();
      app.server.closeAllConnections();
      await app.close();
      await upstream.close();
    });
    return new Gateway(url, pool, problems);
  }

  async send(path: string, init: RequestInit = {}, key: string | null = ADMIN_KEY): Promise<Reply> {
    const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...(init.headers as object) };
    const answer = await fetch(this.url + path, { ...init, headers });
    const payload = Buffer.from(await answer.arrayBuffer());
    return new Reply({ statusCode: answer.status, rawPayload: payload, headers: Object.fromEntries(answer.headers) });
  }

  post(path: string, body: object = {}, key?: string | null): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    return this.send(path, { method: "POST", headers, body: JSON.stringify(body) }, key);
  }

  get(path: string, key?: string | null): Promise<Reply> {
    return this.send(path, {}, key);
  }

  async session(body: object = {}): Promise<{ id: string; key: string }> {
    await this.post("/grant_capacity");
    const started = await this.post("/rl/start_session", body);
    const { session_id: id, session_api_key: key } = started.json<{ session_id: string; session_api_key: string }>();
    return { id, key };
  }

  chat(key: string, text: string, extra: object = {}): Promise<Reply> {
    return this.post("/v1/chat/completions", { messages: [{ role: "user", content: text }], ...extra }, key);
  }

  /** Exports sessions with `acknowledge: true` and returns the id of the batch. */
  async exportHeld(sessionIds: readonly string[]): Promise<string> {
    const { headers } = await this.post("/export_batch", { session_ids: sessionIds, acknowledge: true });
    return String(headers["x-rolltape-export-id"]);
  }

  /** Creates a session with one call and ends it. Returns its id. */
  async conversation(text: string, reward?: number): Promise<string> {
    const { id, key } = await this.session();
    await this.chat(key, text);
    if (reward !== undefined) await this.post("/rl/set_reward", { reward }, key);
    await this.post("/rl/end_session", {}, key);
    return id;
  }
}

/** Returns the tag of a session's worker. */
export function readWorkerTag(sessionId: string): string {
  return sessionId.split("-").at(-2) ?? "";
}
