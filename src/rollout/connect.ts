import { AdminClient } from "../client/admin-client.js";
import { ConnectionPool } from "../client/connection-pool.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { RolloutEngine } from "./contract.js";
import { isHttpUrl } from "./http-url.js";
import { invalidOption } from "./workflow-error.js";

export interface ConnectOptions {
  readonly url: string;
  readonly adminKey: string;
  /** Gets a span for each episode. The caller closes it. Default: no spans. */
  readonly telemetry?: Telemetry | undefined;
}

/** A {@link RolloutEngine} with its own connection pool. Closing it closes the pool. */
export interface ConnectedProxy extends RolloutEngine, AsyncDisposable {
  /** Client for the trainer's calls, over the same connections. */
  readonly admin: AdminClient;
  /** Closes every connection. */
  close(): Promise<void>;
}

/**
 * Creates the client of a proxy for episodes. It sends nothing yet.
 *
 * @throws WorkflowError `invalid_option`
 */
export function connectProxy(options: ConnectOptions): ConnectedProxy {
  checkOptions(options);
  const { url, adminKey, telemetry } = options;
  const connections = new ConnectionPool();
  const admin = new AdminClient(new HttpTransport(url, connections), adminKey);
  const close = () => connections.close();
  return { url: proxyUrl(url), adminKey, connections, admin, telemetry, close, [Symbol.asyncDispose]: close };
}

/** The options may be anything if the caller has no types, or reads environment variables that are not set. */
function checkOptions(options: Partial<ConnectOptions> | undefined): void {
  const { url, adminKey } = options ?? {};
  if (!isHttpUrl(url)) throw invalidOption("url", url, "an http or https URL");
  if (typeof adminKey !== "string" || adminKey === "")
    throw invalidOption("adminKey", adminKey, "the proxy's admin key");
}
