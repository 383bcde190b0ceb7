import { ConnectionPool } from "../client/connection-pool.js";
import { proxyUrl } from "../client/transport.js";
import type { RolloutEngine } from "./contract.js";

export interface ConnectOptions {
  readonly url: string;
  readonly adminKey: string;
}

/** A {@link RolloutEngine} with a connection pool of its own, which is closed with it. */
export interface ConnectedProxy extends RolloutEngine, AsyncDisposable {
  /** Ends every connection. */
  close(): Promise<void>;
}

/** A proxy as episodes use it. Nothing is sent yet. */
export function connectProxy({ url, adminKey }: ConnectOptions): ConnectedProxy {
  const connections = new ConnectionPool();
  const close = () => connections.close();
  return { url: proxyUrl(url), adminKey, connections, close, [Symbol.asyncDispose]: close };
}
