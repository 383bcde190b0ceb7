import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../http/errors.js";
import type { GatewayContext } from "../context.js";
import { forwardTo } from "../forward.js";
import { workerOf } from "../routing.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];

/** Everything else: model calls, rewards, the end of a session. It goes to the worker of its key, unread. */
export function callRoutes(app: FastifyInstance, { pool }: GatewayContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => done(oversize(request), payload));
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    forwardTo(await workerOf(request, pool), request, reply);
  for (const url of ["/v1/messages", "/v1/messages/*"]) {
    app.route({ method: METHODS, url, config: { errors: "anthropic" }, exposeHeadRoute: false, handler });
  }
  app.route({ method: METHODS, url: "/*", exposeHeadRoute: false, handler });
}

/** A worker would refuse it and close the connection, which its answer seldom survives while the body is still on its way. */
function oversize({ headers, server }: FastifyRequest): ApiError | null {
  const limit = server.initialConfig.bodyLimit ?? Number.POSITIVE_INFINITY;
  const length = Number(headers["content-length"]);
  if (!(length > limit)) return null;
  return new ApiError("body_too_large", `The request body has ${length} bytes; this gateway takes ${limit}.`);
}
