import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { ApiError } from "../../http/errors.js";
import { adminKeyInPath, hasPathKey } from "../../http/path-key.js";
import { MISSING_KEY, readKeys } from "../../http/read-keys.js";
import { MISSING_SESSION_ID, readSessionName, SESSION_ID_HEADER } from "../../http/session-name.js";
import type { RunStart } from "../../session/run-keys.js";
import type { Session } from "../../session/session.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import { hashText, sameHash } from "../../support/hash-text.js";

/** The kind of key that a route requires. */
export type KeyKind = "admin" | "session" | "any" | "none";

declare module "fastify" {
  interface FastifyContextConfig {
    readonly key?: KeyKind;
    /** With a run key, the route starts the session of the call if it does not exist. Routes that admit calls do, too. */
    readonly startsSession?: boolean;
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
  /** @throws if the server accepts no new session at the moment */
  readonly requireRoom: () => void;
}

type KeyHolder =
  | { readonly kind: "admin" }
  | { readonly kind: "session"; readonly session: Session }
  | { readonly kind: "run"; readonly run: RunStart };

/** Checks the keys of requests to routes that require one, before the body is read. */
export const auth = fp<AuthOptions>((app, { registry, adminKey, requireRoom }, done) => {
  const adminHash = hashText(adminKey);
  app.decorateRequest("session", null);
  app.decorateRequest("takeovers", 0);

  const findHolder = (key: string): KeyHolder | undefined => {
    const hash = hashText(key);
    if (sameHash(hash, adminHash)) return { kind: "admin" };
    const session = registry.byKeyHash(hash);
    if (session) return { kind: "session", session };
    const run = registry.runKeys.find(key);
    return run && { kind: "run", run };
  };

  /** Returns the session of a call with a run key; null if the call needs none. */
  const findRunSession = (request: FastifyRequest, run: RunStart, required: KeyKind): Session | null => {
    const name = readSessionName(request);
    if (name === undefined) {
      if (required === "any") return null;
      throw new ApiError("missing_session_id", MISSING_SESSION_ID, { param: SESSION_ID_HEADER });
    }
    const known = registry.findInRun(run, name);
    if (known) return known;
    if (required === "any") return null;
    const { admits, startsSession } = request.routeOptions.config;
    // A GET asks for an answer of an earlier call.
    const starts = startsSession || (admits !== undefined && request.method !== "GET");
    if (!starts) {
      const message = `Run ${run.runId} has no session "${name}". It is started by its first model call.`;
      throw new ApiError("session_not_found", message);
    }
    requireRoom();
    return registry.startInRun(run, name);
  };

  const authenticate = (request: FastifyRequest): void => {
    const required = requiredKey(request.routeOptions);
    if (required === "none") return;
    const keys = readKeys(request);
    if (keys.length === 0) throw new ApiError("missing_api_key", MISSING_KEY);
    const holders = keys.flatMap((key) => findHolder(key) ?? []);
    if (hasPathKey(request) && holders.some(({ kind }) => kind === "admin")) throw adminKeyInPath();
    const holder = holders.find(({ kind }) => required === "any" || kind === required || isRunOf(kind, required));
    if (!holder) {
      if (holders.length === 0) throw revokedKey();
      throw required === "admin"
        ? wrongKind("the admin key", holders[0]?.kind === "run" ? "a run key" : "a session key")
        : wrongKind("a session key", "the admin key");
    }
    if (holder.kind === "session") request.session = holder.session;
    else request.session = holder.kind === "run" ? findRunSession(request, holder.run, required) : null;
    request.session?.touch();
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

const isRunOf = (kind: KeyHolder["kind"], required: KeyKind): boolean => kind === "run" && required === "session";

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
