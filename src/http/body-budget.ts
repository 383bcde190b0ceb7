import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Registry } from "prom-client";
import { ApiError } from "./errors.js";
import { addGauge } from "./metrics/add-gauge.js";

export interface BodyBudgetOptions {
  /** Size of all bodies that may be received at the same time, in bytes. */
  readonly bytes: number;
  /** Returns who sends the body, so that one sender cannot use up the budget; null: a sender without a share of its own. */
  readonly findSender: (request: FastifyRequest) => object | null;
  readonly register: Registry;
  /** Name of the gauge of the bytes in use. */
  readonly metric: string;
}

/** The part of the budget that one sender can use. */
const SENDER_SHARE = 1 / 8;

/**
 * Limits the memory of all request bodies that are being received. A body counts with its declared size, or with the largest
 * size allowed if it declares none, from its headers until it is parsed. Register this after the plugin that checks keys.
 */
export const bodyBudget = fp<BodyBudgetOptions>((app, { bytes, findSender, register, metric }, done) => {
  const budget = new Budget(bytes);
  addGauge(register, metric, "Size of the request bodies that are being received.", () => budget.used);
  const releases = new WeakMap<FastifyRequest, () => void>();

  app.addHook("onRequest", (request, reply, next) => {
    const size = declaredSize(request);
    if (size === 0) return next();
    const release = budget.take(size, findSender(request));
    if (typeof release === "string") return next(busyError(release, bytes));
    releases.set(request, release);
    // A client that disconnects before its body is complete never gets as far as the next hook.
    reply.raw.once("close", release);
    next();
  });
  app.addHook("preValidation", (request, _reply, next) => {
    releases.get(request)?.();
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

/** Whose bodies leave no room for another one. */
type Exceeded = "sender" | "all";

function busyError(exceeded: Exceeded, bytes: number): ApiError {
  const limit = `server.body_bytes_in_flight (${bytes} bytes)`;
  const message =
    exceeded === "all"
      ? `The server is receiving as many request bodies as ${limit} allows. Try again.`
      : `This session is sending more bodies at once than its eighth of ${limit}. Try again when one is received.`;
  return new ApiError("server_busy", message);
}

class Budget {
  readonly #bytes: number;
  readonly #bySender = new WeakMap<object, number>();
  used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Returns a function that gives the bytes back, once. If there is no room for them, returns whose bodies take it. */
  take(size: number, sender: object | null): (() => void) | Exceeded {
    const own = sender ? (this.#bySender.get(sender) ?? 0) : 0;
    // A single body is never too large for its share: the limit of bodies is a limit of its own.
    const exceedsShare = sender !== null && own > 0 && own + size > this.#bytes * SENDER_SHARE;
    if (exceedsShare) return "sender";
    if (this.used > 0 && this.used + size > this.#bytes) return "all";
    this.#add(size, sender);
    let taken = true;
    return () => {
      if (taken) this.#add(-size, sender);
      taken = false;
    };
  }

  #add(size: number, sender: object | null): void {
    this.used += size;
    if (sender) this.#bySender.set(sender, (this.#bySender.get(sender) ?? 0) + size);
  }
}
