import type { FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { declaredSize } from "../../http/body-budget.js";
import { onResponseClose } from "../../http/disconnect.js";
import type { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";
import { JsonStream } from "../call/sending/json-stream.js";
import type { Admission, AdmittedCall, CallKind } from "../limits/admission.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Kind of the calls that the route runs. They take memory until they end, so they are admitted before their body is read. */
    readonly admits?: CallKind;
  }
  interface FastifyRequest {
    /** Null if the route does not admit calls, or if the session accepts none. */
    admitted: AdmittedCall | null;
  }
}

export interface AdmissionOptions {
  readonly admission: Admission;
  readonly isDraining: () => boolean;
}

/** Refuses calls beyond the limits of their session or of the store. Register this after the plugin that checks keys. */
export const admissionPlugin = fp<AdmissionOptions>((app, { admission, isDraining }, done) => {
  app.decorateRequest("admitted", null);
  /** Returns true if the route refuses the call with a better reason: the session has ended, or the server stops. */
  const isRefusedByRoute = (kind: CallKind, { state }: Session) =>
    kind === "model" && (state !== "active" || isDraining());
  app.addHook("onRequest", (request, reply, next) => {
    const { session, routeOptions } = request;
    const kind = routeOptions.config.admits;
    if (!kind || !session || isRefusedByRoute(kind, session)) return next();
    try {
      request.admitted = admission.admit(session, kind, declaredSize(request), !isChunked(request));
    } catch (error) {
      return next(error as ApiError);
    }
    const { admitted } = request;
    const onAnswered = () => admitted.answered();
    onResponseClose(reply, onAnswered);
    // Without this, the next request of the connection could begin before this call has ended: both wait for `close`.
    reply.raw.on("finish", onAnswered);
    next();
  });
  app.addHook("onSend", ({ admitted }, _reply, payload, next) => {
    if (typeof payload === "string") admitted?.holdAnswer(Buffer.byteLength(payload));
    else if (payload instanceof JsonStream) admitted?.holdAnswer(payload.memory);
    next(null, payload);
  });
  done();
});

const isChunked = ({ headers }: FastifyRequest): boolean => headers["transfer-encoding"] !== undefined;

/** Runs the call of a request. It stays in flight until its answer is sent. */
export async function whileAdmitted<T>(
  { admitted, bodyBytes }: FastifyRequest,
  { raw }: FastifyReply,
  run: () => Promise<T>,
): Promise<T> {
  if (!admitted) return run();
  admitted.begin(bodyBytes);
  try {
    return await run();
  } finally {
    // For a stream, whose end was written by now. Other answers are counted in `onSend`.
    admitted.finish(raw.writableLength);
  }
}
