import { drainBody, pauseFields, restoreBody } from "../../control/engine.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import type { GatewayContext } from "../context.js";
import { EngineDrain, type ServerUses } from "../fleet/drain.js";
import { readFleet } from "../fleet/fleet.js";
import { drainedServer, mergedEngine, mergeEngines, mergeServer } from "../fleet/merge-engines.js";
import { EnginePause } from "../fleet/pause.js";
import { credentials } from "../routing.js";

/** The engine servers of all workers: each once, told once, all of them or none. */
export function engineRoutes(app: App, context: GatewayContext): void {
  const pause = new EnginePause(context);
  const engine = { 200: mergedEngine };
  const server = { 200: drainedServer };

  app.get("/rl/engine", { schema: { response: engine } }, async (request) =>
    mergeEngines(await readFleet(context, credentials(request))),
  );
  app.post("/rl/engine/pause", { schema: { body: controlBody(pauseFields), response: engine } }, async (request) =>
    mergeEngines(await pause.pause(request.body.mode, credentials(request))),
  );
  app.post("/rl/engine/resume", { schema: { body: controlBody({}), response: engine } }, async (request) =>
    mergeEngines(await pause.resume(credentials(request))),
  );
  app.post("/rl/engine/drain", { schema: { body: drainBody, response: server } }, async (request) => {
    const { url, wait_seconds: seconds } = request.body;
    return recordOf(await new EngineDrain(context, credentials(request)).drain(url, seconds));
  });
  app.post("/rl/engine/restore", { schema: { body: restoreBody, response: server } }, async (request) =>
    recordOf(await new EngineDrain(context, credentials(request)).restore(request.body.url)),
  );
}

function recordOf({ identity, uses, absent }: ServerUses) {
  return { ...mergeServer(identity, uses), ...(absent.length > 0 ? { unavailable_workers: [...absent] } : {}) };
}
