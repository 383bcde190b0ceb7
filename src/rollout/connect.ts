import { AdminClient } from "../client/admin-client.js";
import { ConnectionPool } from "../client/connection-pool.js";
import { HttpTransport, proxyUrl } from "../client/transport.js";
import type { RolloutEngine } from "./contract.js";

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

/** A proxy as episodes use it. Nothing is sent yet. */
export function connectProxy({ url, adminKey }: ConnectOptions): ConnectedProxy {
  const connections = new ConnectionPool();
  const admin = new AdminClient(new HttpTransport(url, connections), adminKey);
  const close = () => connections.close();
  return { url: proxyUrl(url), adminKey, connections, admin, close, [Symbol.asyncDispose]: close };
}
