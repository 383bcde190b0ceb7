import type { FastifyRequest } from "fastify";
import { answerUpdate } from "../../admin-api/weights/answer-update.js";
import { toUpdateTarget } from "../../admin-api/weights/update-request.js";
import { finishBody, weightsBody, weightsRecord } from "../../admin-api/weights/weights-schemas.js";
import type { App } from "../../http/app-type.js";
import type { GatewayWeights } from "../weights/open-weights.js";

const UPDATED = { 200: weightsRecord, 202: weightsRecord };

/** Updates the weights of the engine servers of all workers. Each server loads once. */
export function gatewayWeightRoutes(app: App, weights: GatewayWeights): void {
  const { updates, stopping } = weights;

  app.get("/rl/weights", { schema: { response: { 200: weightsRecord } } }, async (request) => {
    await weights.prepare(request);
    return updates.record();
  });
  app.post("/rl/weights", { schema: { body: weightsBody, response: UPDATED } }, async (request, reply) => {
    const { body } = request;
    await weights.prepare(request);
    await updates.start(toUpdateTarget(body), body.exclude, { allowPartial: body.allow_partial });
    return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: stopping });
  });
  app.post("/rl/weights/finish", { schema: { body: finishBody, response: UPDATED } }, async (request, reply) => {
    const { body } = request;
    await weights.prepare(request);
    await updates.finish(body.version, body.exclude);
    return answerUpdate(updates, reply, { seconds: body.wait_seconds, signal: stopping });
  });
  app.delete("/rl/weights", { schema: { response: { 200: weightsRecord } } }, async (request: FastifyRequest) => {
    await weights.prepare(request);
    await updates.giveUp();
    return updates.record();
  });
}
