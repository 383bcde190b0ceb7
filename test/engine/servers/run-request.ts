import type { EngineServer } from "../../../src/engine/servers/engine-server.js";
import type { ServerPool } from "../../../src/engine/servers/pool/server-pool.js";
import { Deadline } from "../../../src/support/async/deadline.js";

/** Sends a request to the servers of a pool like a call does, but without pause, retry and resumption. */
export async function runRequest<T>(
  pool: ServerPool,
  key: string,
  signal: AbortSignal,
  request: (server: EngineServer, onProgress: () => void) => Promise<T>,
): Promise<T> {
  using deadline = new Deadline(signal, undefined, () => new Error("no limit"));
  const route = pool.route(key);
  for (;;) {
    using lease = await route.next(deadline);
    if (!lease) throw route.refusal;
    try {
      const result = await request(lease.server, () => lease.noteProgress());
      lease.complete();
      return result;
    } catch (error) {
      lease.fail(error, signal);
      route.refuse(error);
    }
  }
}
