import { Agent } from "undici";
import { ApiError } from "../../http/errors.js";
import { untilAborted } from "../../support/async/until-aborted.js";
const CONNECT_TIMEOUT_MS = 10_000;
/** Codes of undici and Node for an upstream that takes too long. */
const TIMEOUTS = new Set([
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
    "UND_ERR_CONNECT_TIMEOUT",
    "ETIMEDOUT",
]);
/** The connections to upstreams. */
export class UpstreamClient {
    #agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
    /**
     * Sends a call and resolves when its reply begins, whatever its status.
     *
     * @throws ApiError `upstream_unavailable` or `upstream_timeout`, or the signal's reason
     */
    async send(request, options) {
        const { signal, timeoutSeconds, model } = options;
        const milliseconds = timeoutSeconds * 1000;
        const times = { headersTimeout: milliseconds, bodyTimeout: milliseconds };
        const answer = this.#agent.request({ ...request, ...times, method: "POST", signal });
        let reply;
        try {
            // undici's agent does not listen to the signal while it opens the connection.
            reply = await untilAborted(answer, signal);
        }
        catch (cause) {
            throw signal.aborted ? signal.reason : toUpstreamError(cause, options);
        }
        if (reply.statusCode < 300 || reply.statusCode >= 400)
            return reply;
        // Clients follow redirects, and some send their key along.
        reply.body.on("error", () => undefined).destroy();
        const message = `The upstream of the model "${model}" answered with a redirect (HTTP ${reply.statusCode}).`;
        throw new ApiError("upstream_unavailable", message);
    }
    close() {
        return this.#agent.destroy();
    }
}
function toUpstreamError(cause, { model, timeoutSeconds }) {
    const code = cause.code;
    if (TIMEOUTS.has(code)) {
        const message = `The upstream of the model "${model}" did not answer within ${timeoutSeconds} s.`;
        return new ApiError("upstream_timeout", message, { cause });
    }
    return new ApiError("upstream_unavailable", `The upstream of the model "${model}" cannot be reached.`, { cause });
}
//# sourceMappingURL=upstream-client.js.map