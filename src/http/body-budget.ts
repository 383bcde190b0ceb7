import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Registry } from "prom-client";
import type { BodyShares, Exceeded } from "./body-shares.js";
import { onResponseClose } from "./disconnect.js";
import { ApiError } from "./errors.js";
import { addGauge } from "./metrics/add-gauge.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Gives the bytes of the body back; null if it has none. */
    releaseBody: (() => void) | null;
  }
}

export interface BodyBudgetOptions {
  readonly budget: BodyShares;
  /** Returns the sender of the body, so that one sender cannot use up the budget. Null: the sender may use all free bytes. */
  readonly findSender: (request: FastifyRequest) => object | null;
  readonly register: Registry;
  /** Name of the gauge of the bytes in use. */
  readonly metric: string;
}

/**
 * Limits the memory of all request bodies that are being received. A body counts with its declared size, or with the largest
 * size allowed if it declares none, from its headers until it is parsed. Register this after the plugin that checks keys.
 */
export const bodyBudget = fp<BodyBudgetOptions>((app, { budget, findSender, register, metric }, done) => {
  addGauge(register, metric, "Size of the request bodies that are being received.", () => budget.used);
  app.decorateRequest("releaseBody", null);

  app.addHook("onRequest", (request, reply, next) => {
    const size = declaredSize(request);
    if (size === 0) return next();
    const release = budget.take(size, findSender(request));
    if (typeof release === "string") return next(busyError(release, budget.bytes));
    request.releaseBody = release;
    // A client that disconnects before its body is complete never gets as far as the next hook.
    onResponseClose(reply, release);
    next();
  });
  app.addHook("preValidation", (request, _reply, next) => {
    request.releaseBody?.();
    next();
  });
  done();
});

/** Returns the size that a body may have; 0 if there is none. */
export function declaredSize({ headers, server }: FastifyRequest): number {
  const limit = server.initialConfig.bodyLimit ?? 0;
  if (headers["transfer-encoding"] !== undefined) return limit;
  const length = Number(headers["content-length"] ?? 0);
  // A body over the limit is refused before it is read.
  return length > 0 && length <= limit ? length : 0;
}

function busyError(exceeded: Exceeded, bytes: number): ApiError {
  const limit = `server.body_bytes_in_flight (${bytes} bytes)`;
  const message =
    exceeded === "all"
      ? `The server is receiving as many request bodies as ${limit} allows. Try again.`
      : `This session is sending more bodies at once than its share of ${limit} allows. Try again when one is received.`;
  return new ApiError("server_busy", message);
}
