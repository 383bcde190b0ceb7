import { drainBody, pauseFields, restoreBody } from "../../admin-api/engine-schemas.js";
import type { App } from "../../http/app-type.js";
import { controlBody } from "../../http/control-body.js";
import type { GatewayContext } from "../context.js";
import { EngineDrain, type ServerUses } from "../fleet/engine-drain.js";
import { EnginePause } from "../fleet/engine-pause.js";
import { readFleet } from "../fleet/fleet.js";
import { drainedServer, mergedEngine, mergeEngines, mergeServer } from "../fleet/merge-engines.js";
import { pickCredentials } from "../routing.js";
import type { ModelWeights } from "../weights/model-weights.js";

/** State and control of the engine servers of all workers. A change reaches every server once, or none of them. */
export function gatewayEngineRoutes(app: App, context: GatewayContext, weights: ModelWeights): void {
  const pause = new EnginePause(context);
  const engine = { 200: mergedEngine };
  const server = { 200: drainedServer };

  app.get("/rl/engine", { schema: { response: engine } }, async (request) =>
    mergeEngines(await readFleet(context, pickCredentials(request))),
  );
  app.post("/rl/engine/pause", { schema: { body: controlBody(pauseFields), response: engine } }, async (request) => {
    const { mode, model } = request.body;
    weights.requireNone(model);
    return mergeEngines(await pause.pause(mode, { headers: pickCredentials(request), model }));
  });
  app.post(
    "/rl/engine/resume",
    { schema: { body: controlBody({ model: pauseFields.model }), response: engine } },
    async (request) => {
      const { model } = request.body;
      weights.requireNone(model);
      return mergeEngines(await pause.resume({ headers: pickCredentials(request), model }));
    },
  );
  app.post("/rl/engine/drain", { schema: { body: drainBody, response: server } }, async (request) => {
    const { url, wait_seconds: seconds } = request.body;
    return toServerRecord(await new EngineDrain(context, pickCredentials(request)).drain(url, seconds));
  });
  app.post("/rl/engine/restore", { schema: { body: restoreBody, response: server } }, async (request) =>
    toServerRecord(await new EngineDrain(context, pickCredentials(request)).restore(request.body.url)),
  );
}

function toServerRecord({ identity, uses, absent }: ServerUses) {
  return { ...mergeServer(identity, uses), ...(absent.length > 0 ? { unavailable_workers: [...absent] } : {}) };
}
