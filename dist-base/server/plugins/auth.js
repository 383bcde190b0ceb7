import fp from "fastify-plugin";
import { ApiError } from "../../http/errors.js";
import { MISSING_KEY, readKeys } from "../../http/read-keys.js";
import { hashText, sameHash } from "../../session/session-keys.js";
/** Checks the keys of requests to routes that require one, before the body is read. */
export const auth = fp((app, { registry, adminKey }, done) => {
    const adminHash = hashText(adminKey);
    app.decorateRequest("session", null);
    const findHolder = (key) => {
        const hash = hashText(key);
        if (sameHash(hash, adminHash))
            return { kind: "admin" };
        const session = registry.byKeyHash(hash);
        return session && { kind: "session", session };
    };
    const authenticate = (request) => {
        const required = requiredKey(request.routeOptions);
        if (required === "none")
            return;
        const keys = readKeys(request);
        if (keys.length === 0)
            throw new ApiError("missing_api_key", MISSING_KEY);
        const holders = keys.flatMap((key) => findHolder(key) ?? []);
        const holder = holders.find(({ kind }) => required === "any" || kind === required);
        if (!holder) {
            if (holders.length === 0)
                throw new ApiError("invalid_api_key", "The key is unknown or was revoked.");
            throw required === "admin"
                ? wrongKind("the admin key", "a session key")
                : wrongKind("a session key", "the admin key");
        }
        if (holder.kind === "session")
            holder.session.touch();
        request.session = holder.kind === "session" ? holder.session : null;
    };
    app.addHook("onRequest", (request, _reply, next) => {
        try {
            authenticate(request);
        }
        catch (error) {
            return next(error);
        }
        next();
    });
    done();
});
export function requiredKey({ config }) {
    return config.key ?? "none";
}
/** Returns the session of a request to a route that requires a session key. */
export function requireSession(request) {
    if (!request.session)
        throw new Error("The route does not require a session key.");
    return request.session;
}
function wrongKind(required, received) {
    return new ApiError("wrong_key_kind", `This endpoint requires ${required}; received ${received}.`);
}
//# sourceMappingURL=auth.js.map