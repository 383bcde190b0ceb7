import { answerUpdate } from "../../admin-api/weights/answer-update.js";
import { toUpdateTarget } from "../../admin-api/weights/update-request.js";
import { stepBody, stepReply } from "../../admin-api/weights/weight-steps.js";
import type { UpdateTarget } from "../../admin-api/weights/weight-targets.js";
import {
  finishBody,
  type WeightsRecord,
  weightsBody,
  weightsQuery,
  weightsRecord,
} from "../../admin-api/weights/weights-schemas.js";
import type { App } from "../../http/app-type.js";
import { ApiError } from "../../http/errors.js";
import { findTrained } from "../named-engines.js";
import type { ExportServices } from "../services.js";
import type { ServerWeights } from "../weights/open-weights.js";
import { takeCompareStep, takeStep } from "../weights/take-step.js";

const UPDATED = { 200: weightsRecord, 202: weightsRecord };

/** Updates the weights of the engine: hold calls, pause, load, flush caches, set the version, resume. */
export function weightRoutes(app: App, services: ExportServices): void {
  app.get(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: {
        summary: "Weights of the engine, and the progress of an update",
        querystring: weightsQuery,
        response: { 200: weightsRecord },
      },
    },
    async ({ query }) => {
      const { updates, known } = requireWeights(services, query.model);
      const record = await updates.record();
      return known.update && !updates.isActive ? { ...record, ...describeHeld(known.update) } : record;
    },
  );
  app.post(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: {
        summary: "Load new weights into all engine servers and set their version; model calls wait",
        body: weightsBody,
        response: UPDATED,
      },
    },
    async ({ body }, reply) => {
      const { updates, known } = requireWeights(services, body.model);
      if (known.update && !updates.isActive) throw heldByGateway(known.update);
      await updates.start(toUpdateTarget(body), body.exclude, { allowPartial: body.allow_partial });
      return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: services.shutdown.signal });
    },
  );
  app.post(
    "/rl/weights/finish",
    {
      config: { key: "admin" },
      schema: { summary: "Finish an external weight update", body: finishBody, response: UPDATED },
    },
    async ({ body }, reply) => {
      const { updates } = requireWeights(services, body.model);
      await updates.finish(body.version, body.exclude, { path: body.path, allowPartial: body.allow_partial });
      return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: services.shutdown.signal });
    },
  );
  app.delete(
    "/rl/weights",
    {
      config: { key: "admin" },
      schema: {
        summary: "Give up a weight update: engine servers with known weights go on",
        querystring: weightsQuery,
        response: { 200: weightsRecord },
      },
    },
    async ({ query }) => {
      const { updates, known, targets } = requireWeights(services, query.model);
      // The gateway of the update may never come back, so a worker can give up the update by itself.
      if (known.update && !updates.isActive) {
        updates.interrupt({ target: known.update, error: "given up" }, await targets.servers());
      }
      await updates.giveUp();
      return updates.record();
    },
  );
}

/** One step of an update, for gateways. They call it on each of their workers. */
export function weightStepRoutes(app: App, services: ExportServices): void {
  app.post(
    "/rl/weights/step",
    {
      config: { key: "admin" },
      schema: { summary: "Set by gateways: one step of a weight update", body: stepBody, response: { 200: stepReply } },
    },
    async ({ body }) => {
      const weights = requireWeights(services, body.model);
      if (weights.updates.isRunning) weights.updates.requireNone();
      const check = await takeCompareStep(weights, body);
      const { failures, lost } = await takeStep(weights, body);
      const { known, targets } = weights;
      const servers = (await targets.servers()).map((server) => ({ ...server, source: known.sourceOf(server.url) }));
      const listed = [...failures].map(([url, failure]) => ({ url, ...failure }));
      const { isActive: interrupted } = weights.updates;
      const update = known.update && { ...known.update, id: known.update.id ?? "" };
      const { version } = targets;
      return { version, servers, update, interrupted, paused: await targets.isPaused(), check, failures: listed, lost };
    },
  );
}

function describeHeld({ version, mode, path }: UpdateTarget): Partial<WeightsRecord> {
  return { state: mode === "external" ? "external" : "loading", target_version: version, mode, path };
}

function heldByGateway({ version }: UpdateTarget): ApiError {
  const message = `A gateway updates the weights to version ${version}. Call the gateway, or give up the update here.`;
  return new ApiError("weights_busy", message);
}

/**
 * Returns the weights of a model.
 *
 * @param model the one that the call names; undefined: the only one that is not frozen
 * @throws ApiError `no_engine_servers` if the engine cannot load weights, `model_not_found`, or `invalid_value` if the model is frozen
 */
function requireWeights(services: ExportServices, model: string | undefined): ServerWeights {
  const { weights, engine } = findTrained(services, model);
  if (weights) return weights;
  throw new ApiError("no_engine_servers", `The engine (${engine.type}) has no servers and cannot load weights.`);
}
