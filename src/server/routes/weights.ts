import { answerUpdate } from "../../control/weights/answer-update.js";
import { toUpdateTarget } from "../../control/weights/update-request.js";
import type { WeightUpdates } from "../../control/weights/weight-updates.js";
import { finishBody, weightsBody, weightsRecord } from "../../control/weights/weights-schemas.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import type { ServerContext } from "../context.js";

const UPDATED = { 200: weightsRecord, 202: weightsRecord };

/** Brings new weights to the engine: hold calls, pause, load, drop caches, set the version, go on. */
export function weightRoutes(app: App, context: ServerContext): void {
  app.get(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: { summary: "Weights of the engine, and the progress of an update", response: { 200: weightsRecord } },
    },
    async () => requireUpdates(context).record(),
  );
  app.post(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: {
        summary: "Load new weights in all engine servers and set their version; model calls wait",
        body: weightsBody,
        response: UPDATED,
      },
    },
    async ({ body }, reply) => {
      const updates = requireUpdates(context);
      await updates.start(toUpdateTarget(body), body.exclude);
      return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: context.shutdown.signal });
    },
  );
  app.post(
    "/rl/weights/finish",
    {
      config: { key: "admin" },
      schema: { summary: "Finish an external weight update", body: finishBody, response: UPDATED },
    },
    async ({ body }, reply) => {
      const updates = requireUpdates(context);
      await updates.finish(body.version, body.exclude);
      return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: context.shutdown.signal });
    },
  );
  app.delete(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: {
        summary: "Give a weight update up: engine servers with known weights go on",
        response: { 200: weightsRecord },
      },
    },
    async () => {
      const updates = requireUpdates(context);
      await updates.giveUp();
      return updates.record();
    },
  );
}

/** @throws ApiError `no_engine_servers` if the engine cannot load weights */
function requireUpdates({ weights, engine }: ServerContext): WeightUpdates {
  if (weights) return weights.updates;
  throw new ApiError("no_engine_servers", `The engine (${engine.type}) has no servers and cannot load weights.`);
}
