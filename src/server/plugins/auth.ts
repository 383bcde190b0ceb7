import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ApiError } from "../../http/errors.js";
import { adminKeyInPath, hasPathKey } from "../../http/path-key.js";
import { MISSING_KEY, readKeys } from "../../http/read-keys.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { hashText, sameHash } from "../../support/hash-text.js";

/** The kind of key that a route requires. */
export type KeyKind = "admin" | "session" | "any" | "none";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly key?: KeyKind;
  }
  interface FastifyRequest {
    /** The session of the request's key; null if the route requires no session key. */
    session: Session | null;
    /** How often that session had been taken over when the key was checked. */
    takeovers: number;
  }
}

export interface AuthOptions {
  readonly registry: SessionRegistry;
  readonly adminKey: string;
}

type KeyHolder = { readonly kind: "admin" } | { readonly kind: "session"; readonly session: Session };

/** Checks the keys of requests to routes that require one, before the body is read. */
export const auth = fp<AuthOptions>((app, { registry, adminKey }, done) => {
  const adminHash = hashText(adminKey);
  app.decorateRequest("session", null);
  app.decorateRequest("takeovers", 0);

  const findHolder = (key: string): KeyHolder | undefined => {
    const hash = hashText(key);
    if (sameHash(hash, adminHash)) return { kind: "admin" };
    const session = registry.byKeyHash(hash);
    return session && { kind: "session", session };
  };

  const authenticate = (request: FastifyRequest): void => {
    const required = requiredKey(request.routeOptions);
    if (required === "none") return;
    const keys = readKeys(request);
    if (keys.length === 0) throw new ApiError("missing_api_key", MISSING_KEY);
    const holders = keys.flatMap((key) => findHolder(key) ?? []);
    if (hasPathKey(request) && holders.some(({ kind }) => kind === "admin")) throw adminKeyInPath();
    const holder = holders.find(({ kind }) => required === "any" || kind === required);
    if (!holder) {
      if (holders.length === 0) throw revokedKey();
      throw required === "admin"
        ? wrongKind("the admin key", "a session key")
        : wrongKind("a session key", "the admin key");
    }
    if (holder.kind === "session") holder.session.touch();
    request.session = holder.kind === "session" ? holder.session : null;
    request.takeovers = request.session?.takeovers ?? 0;
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

export function requiredKey({ config }: FastifyRequest["routeOptions"]): KeyKind {
  return config.key ?? "none";
}

/**
 * Returns the session of a request to a route that requires a session key.
 *
 * @throws ApiError `invalid_api_key` if the session was taken over since the key was checked, for example while the body arrived
 */
export function requireSession({ session, takeovers }: Pick<FastifyRequest, "session" | "takeovers">): Session {
  if (!session) throw new Error("The route does not require a session key.");
  if (session.takeovers !== takeovers) throw revokedKey();
  return session;
}

function revokedKey(): ApiError {
  return new ApiError("invalid_api_key", "The key is unknown or was revoked.");
}

function wrongKind(required: string, received: string): ApiError {
  return new ApiError("wrong_key_kind", `This endpoint requires ${required}; received ${received}.`);
}
