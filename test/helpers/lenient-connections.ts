import type { ConnectionLimits } from "../../src/http/create-app.js";

/** Connection limits that a test does not reach, unless it replaces one. */
export const LENIENT_CONNECTIONS: ConnectionLimits = {
  maxConnections: 100,
  headersTimeoutMilliseconds: 0,
  requestTimeoutMilliseconds: 0,
  sendTimeoutMilliseconds: 0,
};
