import type { z } from "zod";
import {
  drainBody,
  engineRecord,
  pauseBody,
  restoreBody,
  resumeBody,
  serverRecord,
} from "../../admin-api/engine-schemas.js";
import type { EngineServerState, ServerControl } from "../../engine/engine.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import type { ExportServices } from "../services.js";

/** State and control of the engine servers: drain, restore, pause, resume. */
export function engineRoutes(app: App, services: ExportServices): void {
  listServers(app, services);
  drainServer(app, services);
  restoreServer(app, services);
  pauseServers(app, services);
}

function listServers(app: App, services: ExportServices): void {
  app.get(
    "/rl/engine",
    {
      config: { key: "admin" },
      schema: { summary: "Health and load of the engine servers", response: { 200: engineRecord } },
    },
    async () => toRecord(services),
  );
}

function drainServer(app: App, services: ExportServices): void {
  app.post(
    "/rl/engine/drain",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Send no more requests to an engine server; its sessions move to other servers",
        body: drainBody,
        response: { 200: serverRecord },
      },
    },
    async ({ body: { url, wait_seconds: seconds } }) => {
      const servers = requireServers(services);
      requireServer(servers, url);
      const limit = AbortSignal.any([AbortSignal.timeout(seconds * 1000), services.shutdown.signal]);
      // An aborted signal starts the draining without waiting for its end.
      await servers.drain(url, seconds > 0 ? limit : AbortSignal.abort()).catch(() => undefined);
      return requireServer(servers, url);
    },
  );
}

function restoreServer(app: App, services: ExportServices): void {
  app.post(
    "/rl/engine/restore",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Send requests to a drained engine server again",
        body: restoreBody,
        response: { 200: serverRecord },
      },
    },
    async ({ body: { url } }) => {
      const servers = requireServers(services);
      requireServer(servers, url);
      requireCurrentWeights(services, url);
      servers.restore(url);
      return requireServer(servers, url);
    },
  );
}

function pauseServers(app: App, services: ExportServices): void {
  app.post(
    "/rl/engine/pause",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: {
        summary: "Pause all engine servers for a weight update; model calls wait",
        body: pauseBody,
        response: { 200: engineRecord },
      },
    },
    async ({ body: { mode, servers: targets } }) => {
      const servers = requireServers(services);
      requireNoUpdate(services);
      for (const url of targets ?? []) requireServer(servers, url);
      await servers.pause(mode, targets);
      return toRecord(services);
    },
  );
  app.post(
    "/rl/engine/resume",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "Resume paused engine servers", body: resumeBody, response: { 200: engineRecord } },
    },
    async ({ body: { servers: targets, hold } }) => {
      const servers = requireServers(services);
      requireNoUpdate(services);
      for (const url of targets ?? []) requireServer(servers, url);
      await servers.resume({ urls: targets, hold });
      return toRecord(services);
    },
  );
}

/** @throws ApiError `no_engine_servers` if the engine runs in this process */
function requireServers({ engine }: ExportServices): ServerControl {
  if (engine.servers) return engine.servers;
  throw new ApiError("no_engine_servers", `The engine (${engine.type}) runs in this process and has no servers.`);
}

/** @throws ApiError `weights_busy` during a weight update, also one of a gateway: the update pauses and resumes by itself */
function requireNoUpdate({ weights }: ExportServices): void {
  weights?.updates.requireNone();
  if (!weights?.known.update) return;
  const message = `A gateway updates the weights to version ${weights.known.update.version}. Wait for its end.`;
  throw new ApiError("weights_busy", message);
}

/** @throws ApiError `engine_server_outdated` if the server's weights are not those of the current version */
function requireCurrentWeights({ weights, weightVersion: { version: current } }: ExportServices, url: string): void {
  const version = weights?.known.find(url).version;
  if (version === undefined || version === current) return;
  const has = version === null ? "unknown weights" : `weights of version ${version}`;
  const message = `Engine server ${url} has ${has}; the current version is ${current}. Update the weights without excluding it.`;
  throw new ApiError("engine_server_outdated", message, { param: "url" });
}

function requireServer(servers: ServerControl, url: string): z.input<typeof serverRecord> {
  const states = servers.list();
  const found = states.find((state) => state.url === url);
  if (found) return toServerRecord(found);
  const urls = states.map((state) => state.url).join(", ");
  const message = `\`url\` must be the address of an engine server: ${urls}; received ${url.slice(0, 200)}.`;
  throw new ApiError("engine_server_not_found", message, { param: "url" });
}

function toRecord({ engine: { type, servers }, versionLabels }: ExportServices): z.input<typeof engineRecord> {
  return {
    type,
    paused: servers?.paused ?? null,
    version_labels: versionLabels.known.versions,
    servers: (servers?.list() ?? []).map(toServerRecord),
  };
}

function toServerRecord({
  counts,
  lastFailure,
  maxInflight,
  ...state
}: EngineServerState): z.input<typeof serverRecord> {
  const failure = lastFailure && { message: lastFailure.message, at: lastFailure.at / 1000 };
  return { ...state, max_inflight: maxInflight, ...counts, last_failure: failure ?? null };
}
