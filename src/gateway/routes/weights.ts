import type { FastifyRequest } from "fastify";
import { answerUpdate } from "../../admin-api/weights/answer-update.js";
import { toUpdateTarget } from "../../admin-api/weights/update-request.js";
import { finishBody, weightsBody, weightsQuery, weightsRecord } from "../../admin-api/weights/weights-schemas.js";
import type { App } from "../../http/app-type.js";
import type { ModelWeights } from "../weights/model-weights.js";

const UPDATED = { 200: weightsRecord, 202: weightsRecord };

/** Updates the weights of the engine servers of all workers. Each server loads once. */
export function gatewayWeightRoutes(app: App, weights: ModelWeights): void {
  const query = { schema: { querystring: weightsQuery, response: { 200: weightsRecord } } };
  app.get("/rl/weights", query, async (request) => {
    const { updates } = await weights.prepare(request, request.query.model);
    return updates.record();
  });
  app.post("/rl/weights", { schema: { body: weightsBody, response: UPDATED } }, async (request, reply) => {
    const { body } = request;
    const { updates, stopping } = await weights.prepare(request, body.model);
    await updates.start(toUpdateTarget(body), body.exclude, { allowPartial: body.allow_partial });
    return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: stopping });
  });
  app.post("/rl/weights/finish", { schema: { body: finishBody, response: UPDATED } }, async (request, reply) => {
    const { body } = request;
    const { updates, stopping } = await weights.prepare(request, body.model);
    await updates.finish(body.version, body.exclude, { path: body.path, allowPartial: body.allow_partial });
    return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: stopping });
  });
  app.delete("/rl/weights", query, async (request: FastifyRequest<{ Querystring: { model?: string } }>) => {
    const { updates } = await weights.prepare(request, request.query.model);
    await updates.giveUp();
    return updates.record();
  });
}
