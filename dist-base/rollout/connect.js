import { AdminClient } from "../client/admin-client.js";
import { ConnectionPool } from "../client/connection-pool.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import { isHttpUrl } from "./http-url.js";
import { invalidOption } from "./workflow-error.js";
/**
 * Creates the client of a proxy for episodes. It sends nothing yet.
 *
 * @throws WorkflowError `invalid_option`
 */
export function connectProxy(options) {
    checkOptions(options);
    const { url, adminKey } = options;
    const connections = new ConnectionPool();
    const admin = new AdminClient(new HttpTransport(url, connections), adminKey);
    const close = () => connections.close();
    return { url: proxyUrl(url), adminKey, connections, admin, close, [Symbol.asyncDispose]: close };
}
/** The options may be anything if the caller has no types, or reads environment variables that are not set. */
function checkOptions(options) {
    const { url, adminKey } = options ?? {};
    if (!isHttpUrl(url))
        throw invalidOption("url", url, "an http or https URL");
    if (typeof adminKey !== "string" || adminKey === "")
        throw invalidOption("adminKey", adminKey, "the proxy's admin key");
}
//# sourceMappingURL=connect.js.map