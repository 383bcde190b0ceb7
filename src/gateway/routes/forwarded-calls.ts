import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ApiError, bodyTooLargeError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { forwardTo } from "../forward.js";
import { findWorkerByKey } from "../routing.js";
import { RunPlacements } from "../run-placements.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];

/** Forwards all other calls to the worker of their key, without parsing the body: model calls, rewards, ends of sessions. */
export function forwardedCallRoutes(app: FastifyInstance, context: GatewayContext): void {
  const { pool } = context;
  const placements = new RunPlacements(context);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => done(findOversize(request), payload));
  const findWorker = async (request: FastifyRequest, reply: FastifyReply) =>
    (await placements.find(request, reply)) ?? findWorkerByKey(request, reply, pool);
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    forwardTo(pool, await findWorker(request, reply), request, reply);
  for (const url of ["/v1/messages", "/v1/messages/*"]) {
    app.route({
      method: METHODS,
      url,
      config: { errors: "anthropic", beginsTrace: false },
      exposeHeadRoute: false,
      handler,
    });
  }
  app.route({ method: METHODS, url: "/*", config: { beginsTrace: false }, exposeHeadRoute: false, handler });
}

/**
 * Returns an error if the body is larger than the limit. A worker would refuse such a body and close the connection, and the
 * client would rarely receive that response while it is still sending.
 */
function findOversize({ headers, server }: FastifyRequest): ApiError | null {
  const limit = server.initialConfig.bodyLimit ?? Number.POSITIVE_INFINITY;
  const length = Number(headers["content-length"]);
  return length > limit ? bodyTooLargeError(limit, length, " of the gateway") : null;
}
