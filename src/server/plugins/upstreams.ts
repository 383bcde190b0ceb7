import { setMaxListeners } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { Upstream } from "../../config/index.js";
import { ApiError } from "../../http/errors.js";
import { takeBodyJson } from "../../http/json-body.js";
import type { Session } from "../../session/session.js";
import { requireOpen } from "../call/call.js";
import type { UpstreamMetrics } from "../metrics/upstream-metrics.js";
import type { ServerServices } from "../services.js";
import { CallProgress } from "../upstreams/call-progress.js";
import { UpstreamClient } from "../upstreams/upstream-client.js";
import { UpstreamLoad } from "../upstreams/upstream-limits.js";
import { toUpstreamRequest, type UpstreamEndpoint } from "../upstreams/upstream-request.js";
import type { UpstreamRules } from "../upstreams/upstream-rules.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Returns the model that the request names. Calls for models of `upstreams` are refused: they do not have this API. */
    readonly readRequestedModel?: (request: FastifyRequest) => string;
    /** The same endpoint of an upstream. Calls of the route for models of `upstreams` are forwarded to it. */
    readonly upstream?: UpstreamEndpoint;
  }
}

export interface UpstreamsOptions {
  readonly context: ServerServices;
  readonly rules: UpstreamRules;
}

/**
 * Forwards calls for models of `upstreams`, or refuses them. Their bodies are not checked against the schemas of the routes, because
 * the upstream's API may have more fields. Register this plugin after those that check keys and admit calls.
 */
export const upstreamsPlugin = fp<UpstreamsOptions>((app, { context, rules }, done) => {
  const forwarder = new UpstreamForwarder(context);
  app.addHook("onClose", () => forwarder.close());
  app.addHook("preValidation", (request, reply, next) => {
    const { session, routeOptions, body } = request;
    const { upstream: endpoint, readRequestedModel } = routeOptions.config;
    const json = takeBodyJson(request);
    if (session && readRequestedModel) return next(forwarder.findRefusal(rules, readRequestedModel(request)));
    const rule = endpoint && session && rules.findForBody(body);
    if (!rule || !json) return next();
    try {
      requireOpen(context, session);
      if (rule.refuse) throw forwarder.refuse(rule.models, readModel(body));
    } catch (error) {
      return next(error as Error);
    }
    // No call of `next`: Fastify would run the route even if the hook has sent a stream.
    const call = { upstream: rule, endpoint, session, json };
    forwarder.forward(call, request, reply).catch((error: unknown) => void reply.send(error));
  });
  done();
});

interface ForwardedCall {
  readonly upstream: Upstream;
  readonly endpoint: UpstreamEndpoint;
  readonly session: Session;
  /** The body as it was received. */
  readonly json: Buffer;
}

class UpstreamForwarder {
  readonly #client = new UpstreamClient();
  readonly #load: UpstreamLoad;
  readonly #metrics: UpstreamMetrics;
  readonly #shutdown: AbortSignal;

  constructor({ settings, metrics, shutdown }: ServerServices) {
    this.#load = new UpstreamLoad(settings.upstreamLimits);
    this.#metrics = metrics.upstreams;
    this.#shutdown = shutdown.signal;
    // Each call in flight listens to it.
    setMaxListeners(Number.POSITIVE_INFINITY, this.#shutdown);
  }

  /** Returns the error of a call whose path names a model of `upstreams`; undefined for the policy's own models. */
  findRefusal(rules: UpstreamRules, model: string): ApiError | undefined {
    const rule = rules.find(model);
    if (!rule || rule.refuse) return rule && this.refuse(rule.models, model);
    this.#metrics.count(rule.models, "refused");
    const message = `The model "${shorten(model)}" is that of an upstream, which does not have this API. Call it through chat completions, responses or messages.`;
    return new ApiError("model_refused", message, { param: "model" });
  }

  /** Counts a call that the configuration refuses, and returns its error. */
  refuse(models: readonly string[], model: string): ApiError {
    this.#metrics.count(models, "refused");
    const message = `The model "${shorten(model)}" is refused by the configuration of this server (\`upstreams\`).`;
    return new ApiError("model_refused", message, { param: "model" });
  }

  /** Sends a call to its upstream and resolves when the answer begins. The answer is streamed to the client as fast as the client reads it. */
  async forward(call: ForwardedCall, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { upstream, endpoint, session, json } = call;
    const { timeoutSeconds } = upstream;
    const sent = toUpstreamRequest(upstream, endpoint, request, json);
    const progress = this.#begin(session, upstream, reply);
    const { signal } = progress;
    request.admitted?.passOn(json.length);
    try {
      const answer = await this.#client.send(sent, { model: readModel(request.body), timeoutSeconds, signal });
      progress.outcome = answer.statusCode < 400 ? "answered" : "error";
      progress.sendOn(answer);
    } catch (error) {
      progress.outcome = "unavailable";
      throw error;
    }
  }

  #begin(session: Session, { models }: Upstream, reply: FastifyReply): CallProgress {
    const release = this.#load.begin(session);
    const stopTimer = this.#metrics.startTimer(models);
    return new CallProgress(reply, this.#shutdown, (outcome) => {
      release();
      stopTimer();
      this.#metrics.count(models, outcome);
      session.touch();
    });
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

const MAX_SHOWN_NAME = 100;

const shorten = (model: string): string => model.slice(0, MAX_SHOWN_NAME);

const readModel = (body: unknown): string => shorten(String(Object(body).model));
