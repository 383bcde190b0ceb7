/**
 * Google's paths end in a colon and the name of a method, as in `/v1beta/models/tiny:generateContent`. The name of the model may have
 * slashes, so the path is a wildcard, and a constraint of the route selects the method.
 */
export const GOOGLE_METHOD = "googleMethod";
/** Adds the constraint for routes that differ only in their method. Call this before adding such routes. */
export function addGoogleMethods(app) {
    app.addConstraintStrategy({
        name: GOOGLE_METHOD,
        storage: () => createStorage(),
        deriveConstraint: ({ url = "" }) => readMethod(url),
    });
}
/** The colon may be percent-encoded, as some clients do. */
const METHOD = /(?::|%3a)([a-z]+)$/i;
/** Returns the method at the end of a path; undefined if the path has none. */
function readMethod(url) {
    return METHOD.exec(url.split("?", 1)[0] ?? "")?.[1];
}
/** Returns the name of the model, without the collection `models`. @param path the decoded path after `/v1beta/models/` */
export function readModelName(path) {
    return path.replace(/:[a-z]+$/i, "");
}
function createStorage() {
    const handlers = new Map();
    return {
        get: (method) => handlers.get(method) ?? null,
        set: (method, handler) => void handlers.set(method, handler),
    };
}
//# sourceMappingURL=google-methods.js.map