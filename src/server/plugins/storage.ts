import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { onResponseClose } from "../../http/disconnect.js";
import type { SessionRegistry } from "../../session/session-registry.js";
import type { ServerStorage } from "../storage/server-storage.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True if the route works while the disk refuses writes, such as an export. */
    readonly worksWithoutDisk?: boolean;
    /** True if the route changes nothing although it is no GET. */
    readonly onlyReads?: boolean;
  }
}

export interface StoragePluginOptions {
  readonly registry: SessionRegistry;
  readonly server: ServerStorage;
}

/** Share of `memoryBytes` to which memory is freed. Finding idle sessions visits all of them, so not each answer should do it. */
const UNLOAD_TO = 0.9;

/**
 * Sends the answer of a request that changes something only once the change is on disk. Refuses such requests while the disk refuses
 * writes. Reads the session's data from disk before the route runs, and frees memory of idle sessions after the response.
 *
 * Register this after the plugin that checks keys.
 */
export const storagePlugin = fp<StoragePluginOptions>((app, { registry, server: { storage, memoryBytes } }, done) => {
  app.addHook("onRequest", (request, _reply, next) => {
    const needsDisk = !isRead(request) && !request.routeOptions.config.worksWithoutDisk;
    if (storage.failure && needsDisk) next(storage.failure);
    else next();
  });

  app.addHook("preHandler", async ({ session }, reply) => {
    if (!session) return;
    session.data.hold();
    onResponseClose(reply, () => {
      session.data.release();
      if (registry.bytes > memoryBytes) unloadSoon();
    });
    await registry.wake(session);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    if (reply.statusCode >= 400 || isRead(request)) return payload;
    // A model call changes only its own session, so it need not wait for the changes of others.
    const flushed = registry.flushed(request.admitted ? (request.session ?? undefined) : undefined);
    await (request.routeOptions.config.worksWithoutDisk ? flushed.catch(() => undefined) : flushed);
    return payload;
  });

  let isUnloading = false;
  /** True if a response closed since unloading began. Its session was in use then. */
  let mustRepeat = false;
  const unload = async () => {
    isUnloading = true;
    do {
      mustRepeat = false;
      await registry.unloadIdle(() => registry.bytes <= memoryBytes * UNLOAD_TO).catch(() => undefined);
    } while (mustRepeat && registry.bytes > memoryBytes);
    isUnloading = false;
  };
  const unloadSoon = () => {
    if (isUnloading) mustRepeat = true;
    else void unload();
  };
  done();
});

function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === "GET" || method === "HEAD" || routeOptions.config.onlyReads === true;
}
