import { z } from "zod";
import type { EngineServerState, EngineServers } from "../../engine/engine.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import { ApiError } from "../../http/errors.js";
import type { ServerContext } from "../context.js";

const count = z.int().min(0);

export const serverRecord = z.object({
  url: z.string(),
  state: z
    .enum(["up", "down", "draining", "unknown"])
    .describe("`unknown`: not reached yet; it gets requests like one that is `up`."),
  healthy: z.boolean().describe("It could be reached and was well when it last was asked; false until it was reached."),
  requests: count.describe("Requests that it works on, or that wait for one of its connections."),
  waiting: count.describe("Those of them that wait."),
  logprobs: z
    .enum(["temperature", "truncated", "raw", "unknown"])
    .describe("What its log probabilities include; `unknown` until its first reply."),
  completed: count.describe("Requests since the start that were answered."),
  failed: count,
  aborted: count.describe("The agent left, or the call's time ran out."),
  failovers: count.describe("Requests that it did not begin with and that went to another server."),
  last_failure: z
    .object({ message: z.string(), at: z.number().describe("Seconds since the epoch.") })
    .nullable()
    .describe("The last request that failed on it."),
});

const pauseMode = z.enum(["abort", "keep"]);

export const engineRecord = z.object({
  type: z.string(),
  paused: pauseMode.nullable().describe("How it was paused by /rl/engine/pause and not resumed since."),
  servers: z.array(serverRecord).describe("Empty where the engine runs in the server's own process."),
});

export const restoreBody = controlBody({ url: z.string().describe("As /rl/engine lists it.") });

export const drainBody = controlBody({
  ...restoreBody.shape,
  wait_seconds: z.number().min(0).max(86_400).default(0).describe("How long to wait until it has no requests."),
});

export const pauseFields = {
  mode: pauseMode.default("abort").describe("`abort` cuts what runs, to be resumed later; `keep` freezes it."),
};

const toldServers = z
  .array(z.string())
  .optional()
  .describe("Set by gateways: the servers that this worker tells; others tell the rest. Default: every server.");

const pauseBody = controlBody({ ...pauseFields, servers: toldServers });

const resumeBody = controlBody({
  servers: toldServers,
  hold: z.boolean().default(false).describe("Set by gateways: calls wait on, until a resume without it."),
});

/** The servers that the engine consists of: what they do, and the trainer's hand on them. */
export function engineRoutes(app: App, context: ServerContext): void {
  listServers(app, context);
  drainServer(app, context);
  restoreServer(app, context);
  pauseServers(app, context);
}

function listServers(app: App, { engine }: ServerContext): void {
  app.get(
    "/rl/engine",
    {
      config: { key: "admin" },
      schema: { summary: "The engine's servers, their health and load", response: { 200: engineRecord } },
    },
    async () => toRecord(engine),
  );
}

function drainServer(app: App, context: ServerContext): void {
  app.post(
    "/rl/engine/drain",
    {
      config: { key: "admin" },
      schema: {
        summary: "Give a server of the engine no more requests; its sessions move to others",
        body: drainBody,
        response: { 200: serverRecord },
      },
    },
    async ({ body: { url, wait_seconds: seconds } }) => {
      const servers = serversOf(context);
      requireServer(servers, url);
      const limit = AbortSignal.any([AbortSignal.timeout(seconds * 1000), context.shutdown.signal]);
      await servers.drain(url, seconds > 0 ? limit : AbortSignal.abort()).catch(() => undefined);
      return requireServer(servers, url);
    },
  );
}

function restoreServer(app: App, context: ServerContext): void {
  app.post(
    "/rl/engine/restore",
    {
      config: { key: "admin" },
      schema: {
        summary: "Give a drained server requests again",
        body: restoreBody,
        response: { 200: serverRecord },
      },
    },
    async ({ body: { url } }) => {
      const servers = serversOf(context);
      requireServer(servers, url);
      servers.restore(url);
      return requireServer(servers, url);
    },
  );
}

function pauseServers(app: App, context: ServerContext): void {
  app.post(
    "/rl/engine/pause",
    {
      config: { key: "admin" },
      schema: {
        summary: "Pause every server of the engine, for an update of its weights; calls wait",
        body: pauseBody,
        response: { 200: engineRecord },
      },
    },
    async ({ body: { mode, servers: told } }) => {
      const servers = serversOf(context);
      for (const url of told ?? []) requireServer(servers, url);
      await servers.pause(mode, told);
      return toRecord(context.engine);
    },
  );
  app.post(
    "/rl/engine/resume",
    {
      config: { key: "admin" },
      schema: { summary: "End a pause", body: resumeBody, response: { 200: engineRecord } },
    },
    async ({ body: { servers: told, hold } }) => {
      const servers = serversOf(context);
      for (const url of told ?? []) requireServer(servers, url);
      await servers.resume({ told, hold });
      return toRecord(context.engine);
    },
  );
}

function serversOf({ engine }: ServerContext): EngineServers {
  if (engine.servers) return engine.servers;
  throw new ApiError("no_engine_servers", `The engine (${engine.type}) runs in this process and has no servers.`);
}

function requireServer(servers: EngineServers, url: string): z.input<typeof serverRecord> {
  const states = servers.list();
  const found = states.find((state) => state.url === url);
  if (found) return toServerRecord(found);
  const known = states.map((state) => state.url).join(", ");
  const message = `url: there is no engine server ${url.slice(0, 200)}; there are ${known}.`;
  throw new ApiError("engine_server_not_found", message, { param: "url" });
}

function toRecord({ type, servers }: ServerContext["engine"]): z.input<typeof engineRecord> {
  return { type, paused: servers?.paused ?? null, servers: (servers?.list() ?? []).map(toServerRecord) };
}

function toServerRecord({ counts, lastFailure, ...state }: EngineServerState): z.input<typeof serverRecord> {
  const failure = lastFailure && { message: lastFailure.message, at: lastFailure.at / 1000 };
  return { ...state, ...counts, last_failure: failure ?? null };
}
