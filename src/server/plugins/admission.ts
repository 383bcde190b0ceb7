import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { declaredSize } from "../../http/body-budget.js";
import { onResponseClose } from "../../http/disconnect.js";
import type { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";
import type { Admission, AdmittedCall, CallKind } from "../limits/admission.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route runs calls that take memory until they end. They are admitted before their body is read. */
    readonly admits?: CallKind;
  }
  interface FastifyRequest {
    /** Null if the route admits no calls, or the session accepts none. */
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
  /** Model calls of a session that has ended, and of a server that stops, are refused with that reason by their route. */
  const isRefusedByRoute = (kind: CallKind, { state }: Session) =>
    kind === "model" && (state !== "active" || isDraining());
  app.addHook("onRequest", (request, reply, next) => {
    const { session, routeOptions } = request;
    const kind = routeOptions.config.admits;
    if (!kind || !session || isRefusedByRoute(kind, session)) return next();
    try {
      request.admitted = admission.admit(session, kind, declaredSize(request));
    } catch (error) {
      return next(error as ApiError);
    }
    // A call that is refused later, or whose client disconnects before its body is complete, never gets to its route.
    onResponseClose(reply, () => {
      if (!request.admitted?.running) request.admitted?.end();
    });
    next();
  });
  done();
});

/** Runs the call of a request. It counts as in flight until then. */
export async function whileAdmitted<T>({ admitted, bodyBytes }: FastifyRequest, run: () => Promise<T>): Promise<T> {
  if (!admitted) return run();
  admitted.begin(bodyBytes);
  try {
    return await run();
  } finally {
    admitted.end();
  }
}
