import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { hashKey, sameHash } from "../../session/keys.js";
import type { SessionRegistry } from "../../session/registry.js";
import type { Session } from "../../session/session.js";
import { ApiError } from "../errors.js";

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

/** Checks the key of every route that names a kind, before its body is read. */
export const auth = fp<AuthOptions>((app, { registry, adminKey }, done) => {
  const adminHash = hashKey(adminKey);
  app.decorateRequest("session", null);

  const authenticate = (request: FastifyRequest): void => {
    const wanted = request.routeOptions.config.key ?? "none";
    if (wanted === "none") return;
    const key = keyOf(request);
    if (key === undefined) {
      throw new ApiError("missing_api_key", "No key was sent. Use Authorization: Bearer KEY, or x-api-key: KEY.");
    }
    const hash = hashKey(key);
    const isAdmin = sameHash(hash, adminHash);
    const session = isAdmin ? undefined : registry.byKeyHash(hash);
    if (!isAdmin && !session) throw new ApiError("invalid_api_key", "The key is unknown, or was revoked.");
    if (wanted === "admin" && !isAdmin) throw wrongKind("the admin key", "a session key");
    if (wanted === "session" && isAdmin) throw wrongKind("a session key", "the admin key");
    session?.touch();
    request.session = session ?? null;
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

const BEARER = /^bearer +(\S+) *$/i;

/** The key that came with a request. */
export function keyOf(request: FastifyRequest): string | undefined {
  const { authorization, "x-api-key": plain } = request.headers;
  const bearer = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  return bearer ?? (typeof plain === "string" && plain !== "" ? plain : undefined);
}

function wrongKind(wanted: string, got: string): ApiError {
  return new ApiError("wrong_key_kind", `This endpoint takes ${wanted}; the request came with ${got}.`);
}
