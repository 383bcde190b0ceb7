import { AdminClient } from "../client/admin-client.js";
import { ConnectionPool } from "../client/connection-pool.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import type { RolloutEngine } from "./contract.js";
import { isHttpUrl } from "./http-url.js";
import { invalidOption } from "./workflow-error.js";

export interface ConnectOptions {
  readonly url: string;
  readonly adminKey: string;
}

/** A {@link RolloutEngine} with a connection pool of its own, which is closed with it. */
export interface ConnectedProxy extends RolloutEngine, AsyncDisposable {
  /** The trainer's calls over the same connections. */
  readonly admin: AdminClient;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * A proxy as episodes use it. Nothing is sent yet.
 *
 * @throws WorkflowError `invalid_option`
 */
export function connectProxy(options: ConnectOptions): ConnectedProxy {
  checkOptions(options);
  const { url, adminKey } = options;
  const connections = new ConnectionPool();
  const admin = new AdminClient(new HttpTransport(url, connections), adminKey);
  const close = () => connections.close();
  return { url: proxyUrl(url), adminKey, connections, admin, close, [Symbol.asyncDispose]: close };
}

/** Plain JavaScript, and an environment variable that is not set, give anything. */
function checkOptions(options: Partial<ConnectOptions> | undefined): void {
  const { url, adminKey } = options ?? {};
  if (!isHttpUrl(url)) throw invalidOption("url", url, "an http or https URL");
  if (typeof adminKey !== "string" || adminKey === "")
    throw invalidOption("adminKey", adminKey, "the proxy's admin key");
}
