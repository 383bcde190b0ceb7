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
import { listControlled } from "../named-engines.js";
import type { ExportServices, ModelServices } from "../services.js";

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
      const servers = requireServers(findOwner(services, url));
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
      const owner = findOwner(services, url);
      const servers = requireServers(owner);
      requireServer(servers, url);
      requireCurrentWeights(owner, url);
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
    async ({ body: { mode, servers: targets, model } }) => {
      const controls = requireControls(services, model, targets);
      await Promise.all(controls.map((servers) => servers.pause(mode, targets)));
      return toRecord(services);
    },
  );
  app.post(
    "/rl/engine/resume",
    {
      config: { key: "admin", worksWithoutDisk: true },
      schema: { summary: "Resume paused engine servers", body: resumeBody, response: { 200: engineRecord } },
    },
    async ({ body: { servers: targets, hold, model } }) => {
      const controls = requireControls(services, model, targets);
      await Promise.all(controls.map((servers) => servers.resume({ urls: targets, hold })));
      return toRecord(services);
    },
  );
}

/**
 * Returns the servers of the models that a pause concerns.
 *
 * @param targets the servers to pause, of these models
 * @throws ApiError if one of the models cannot be paused now
 */
function requireControls(
  services: ExportServices,
  model: string | undefined,
  targets: readonly string[] = [],
): readonly ServerControl[] {
  const models = listControlled(services, model);
  const controls = models.map(requireServers);
  for (const each of models) requireNoUpdate(each);
  const known = controls.flatMap((servers) => servers.list()).map(({ url }) => url);
  const unknown = targets.find((url) => !known.includes(url));
  if (unknown !== undefined) throw serverNotFound(known, unknown);
  return controls;
}

/** Returns the services of the model whose engine has this server; those of the main model if none has. */
function findOwner(services: ExportServices, url: string): ModelServices {
  const found = services.engines?.all.find(({ services: { engine } }) =>
    engine.servers?.list().some((s) => s.url === url),
  );
  return found?.services ?? services;
}

/** @throws ApiError `no_engine_servers` if the engine runs in this process */
function requireServers({ engine }: ModelServices): ServerControl {
  if (engine.servers) return engine.servers;
  throw new ApiError("no_engine_servers", `The engine (${engine.type}) runs in this process and has no servers.`);
}

/** @throws ApiError `weights_busy` during a weight update, also one of a gateway: the update pauses and resumes by itself */
function requireNoUpdate({ weights }: ModelServices): void {
  weights?.updates.requireNone();
  if (!weights?.known.update) return;
  const message = `A gateway updates the weights to version ${weights.known.update.version}. Wait for its end.`;
  throw new ApiError("weights_busy", message);
}

/** @throws ApiError `engine_server_outdated` if the server's weights are not those of the current version */
function requireCurrentWeights({ weights, weightVersion: { version: current } }: ModelServices, url: string): void {
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
  throw serverNotFound(
    states.map((state) => state.url),
    url,
  );
}

function serverNotFound(known: readonly string[], url: string): ApiError {
  const message = `\`url\` must be the address of an engine server: ${known.join(", ")}; received ${url.slice(0, 200)}.`;
  return new ApiError("engine_server_not_found", message, { param: "url" });
}

function toRecord(services: ExportServices): z.input<typeof engineRecord> {
  const { engine, versionLabels, engines } = services;
  return {
    ...describeEngine(engine),
    version_labels: versionLabels.known.versions,
    ...(engines && {
      models: engines.all.map(({ name, frozen, services: { engine: own, weightVersion } }) => ({
        model: name,
        frozen,
        weight_version: weightVersion.version,
        ...describeEngine(own),
      })),
    }),
  };
}

function describeEngine({ type, servers }: ExportServices["engine"]) {
  return { type, paused: servers?.paused ?? null, servers: (servers?.list() ?? []).map(toServerRecord) };
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
