import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ApiError } from "../../http/errors.js";
import { readKeys } from "../../http/read-keys.js";
import type { Session } from "../../session/session.js";
import { hashKey, sameHash } from "../../session/session-keys.js";
import type { SessionRegistry } from "../../session/session-registry.js";

/** Which key a route wants. */
export type KeyKind = "admin" | "session" | "any" | "none";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly key?: KeyKind;
  }
  interface FastifyRequest {
    /** The session whose key came with the request. */
    session: Session | null;
  }
}

export interface AuthOptions {
  readonly registry: SessionRegistry;
  readonly adminKey: string;
}

type KeyHolder = { readonly kind: "admin" } | { readonly kind: "session"; readonly session: Session };

/** Checks the key of every route that names a kind, before its body is read. */
export const auth = fp<AuthOptions>((app, { registry, adminKey }, done) => {
  const adminHash = hashKey(adminKey);
  app.decorateRequest("session", null);

  const holderOf = (key: string): KeyHolder | undefined => {
    const hash = hashKey(key);
    if (sameHash(hash, adminHash)) return { kind: "admin" };
    const session = registry.byKeyHash(hash);
    return session && { kind: "session", session };
  };

  const authenticate = (request: FastifyRequest): void => {
    const wanted = request.routeOptions.config.key ?? "none";
    if (wanted === "none") return;
    const keys = readKeys(request);
    if (keys.length === 0) {
      throw new ApiError("missing_api_key", "No key was sent. Use Authorization: Bearer KEY, or x-api-key: KEY.");
    }
    const known = keys.flatMap((key) => holderOf(key) ?? []);
    const holder = known.find((each) => wanted === "any" || each.kind === wanted);
    if (!holder) {
      if (known.length === 0) throw new ApiError("invalid_api_key", "The key is unknown, or was revoked.");
      throw wanted === "admin"
        ? wrongKind("the admin key", "a session key")
        : wrongKind("a session key", "the admin key");
    }
    if (holder.kind === "session") holder.session.touch();
    request.session = holder.kind === "session" ? holder.session : null;
  };

  app.addHook("onRequest", (request, _reply, next) => {
    try {
      authenticate(request);
    } catch (error) {
      return next(error as ApiError);
    }
    next();
  });
  done();
});

/** The session of a route whose key is "session". */
export function sessionOf(request: FastifyRequest): Session {
  if (!request.session) throw new Error("the route does not ask for a session key");
  return request.session;
}

function wrongKind(wanted: string, got: string): ApiError {
  return new ApiError("wrong_key_kind", `This endpoint takes ${wanted}; the request came with ${got}.`);
}
