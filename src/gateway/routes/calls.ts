import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GatewayContext } from "../context.js";
import { forwardTo } from "../forward.js";
import { workerOf } from "../routing.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"];

/** Everything else: model calls, rewards, the end of a session. It goes to the worker of its key, unread. */
export function callRoutes(app: FastifyInstance, { pool }: GatewayContext): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
  const handler = async (request: FastifyRequest, reply: FastifyReply) =>
    forwardTo(await workerOf(request, pool), request, reply);
  for (const url of ["/v1/messages", "/v1/messages/*"]) {
    app.route({ method: METHODS, url, config: { errors: "anthropic" }, exposeHeadRoute: false, handler });
  }
  app.route({ method: METHODS, url: "/*", exposeHeadRoute: false, handler });
}
