import type { z } from "zod";
import { drainBody, engineRecord, pauseBody, restoreBody, resumeBody, serverRecord } from "../../control/engine.js";
import type { EngineServerState, EngineServers } from "../../engine/engine.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import type { ServerContext } from "../context.js";

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
      await servers.resume({ urls: told, hold });
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
