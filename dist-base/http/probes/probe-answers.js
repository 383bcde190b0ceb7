import { ApiError } from "../errors.js";
const STARTING = { statusCode: 503, body: { status: "starting" } };
/** Returns the answer to a probe. Stalls count only after the start, which may occupy the main thread for minutes. */
export function answerProbe(method, path, main) {
    const isRead = method === "GET" || method === "HEAD";
    if (isRead && path === "/livez")
        return findStall(main) ?? { statusCode: 200, body: { status: "ok" } };
    if (isRead && (path === "/readyz" || path === "/health"))
        return findStall(main) ?? main.readiness ?? STARTING;
    const error = new ApiError("not_found", "The probe port answers only GET /livez, /readyz and /health.");
    return { statusCode: error.statusCode, body: error.toBody() };
}
function findStall({ readiness, silentMilliseconds, stallSeconds }) {
    if (readiness === undefined || silentMilliseconds < stallSeconds * 1000)
        return undefined;
    const seconds = Number((silentMilliseconds / 1000).toFixed(1));
    const message = `The main thread has not run for ${seconds} s.`;
    return { statusCode: 503, body: { status: "stalled", message, stalled_seconds: seconds } };
}
//# sourceMappingURL=probe-answers.js.map