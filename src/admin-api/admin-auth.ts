import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ApiError } from "../http/errors.js";
import { adminKeyInPath, hasPathKey } from "../http/path-key.js";
import { MISSING_KEY, readKeys } from "../http/read-keys.js";
import { readKeyTag } from "../session/worker-tag.js";
import { hashText, sameHash } from "../support/hash-text.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The gateway or the controller answers the route without a key. */
    readonly public?: boolean;
  }
}

export interface AdminAuthOptions {
  /** Undefined: the workers check the key, after the gateway has read the body. */
  readonly adminKey: string | undefined;
}

/** Checks the admin key of control calls before their bodies are read. All processes of a service have the same admin key. */
export const adminAuth = fp<AdminAuthOptions>((app, { adminKey }, done) => {
  if (adminKey === undefined) return done();
  const adminHash = hashText(adminKey);
  app.addHook("onRequest", (request, _reply, next) => {
    const isAdmin = readKeys(request).some((key) => sameHash(hashText(key), adminHash));
    if (request.routeOptions.config.public || (isAdmin && !hasPathKey(request))) return next();
    next(isAdmin ? adminKeyInPath() : keyError(request));
  });
  done();
});

function keyError(request: FastifyRequest): ApiError {
  const keys = readKeys(request);
  if (keys.length === 0) return new ApiError("missing_api_key", MISSING_KEY);
  return keys.some((key) => readKeyTag(key) !== undefined)
    ? new ApiError("wrong_key_kind", "This endpoint requires the admin key; received a session key.")
    : new ApiError("invalid_api_key", "The key is unknown or was revoked.");
}
