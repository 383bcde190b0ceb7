import { createServer, type Server } from "node:net";
import { native } from "../../native/addon.js";

/**
 * Number of connections that are accepted in one iteration of the event loop. With many connections open, an iteration takes
 * milliseconds, and clients may open a thousand connections in a second.
 */
const ACCEPTED_AT_ONCE = 16;

/** The part of Node's listening handle that this file uses. It is not documented. */
interface ListeningHandle {
  readonly fd?: number;
  onconnection?: (status: number, client: { close(): void } | undefined) => void;
}

/**
 * Accepts several connections in each iteration of the event loop.
 *
 * libuv accepts one connection of each listening handle in an iteration. If connections arrive faster, they wait in the kernel's
 * queue until it is full, and clients see time-outs and resets. So this adds handles to the listening socket. Their connections belong to
 * the server, as if its own handle had accepted them.
 *
 * @returns a function that removes the handles, which must be called when the server stops listening
 */
export async function acceptSeveral(server: Server): Promise<() => void> {
  const listeners: Server[] = [];
  const removeAll = () => {
    for (const listener of listeners.splice(0)) listener.close();
  };
  // A server in a cluster, on a pipe or on Windows has no descriptor.
  const descriptor = readHandle(server)?.fd ?? -1;
  if (descriptor < 0) return removeAll;
  try {
    while (listeners.length < ACCEPTED_AT_ONCE - 1) listeners.push(await listenOn(descriptor, server));
  } catch {
    // Too many open files: go on with the handles that could be opened.
  }
  return removeAll;
}

async function listenOn(descriptor: number, server: Server): Promise<Server> {
  const listener = createServer();
  await new Promise<void>((resolve, reject) => {
    listener.once("error", reject).listen({ fd: native.duplicateFile(descriptor) }, resolve);
  });
  const handle = readHandle(listener);
  if (handle) {
    handle.onconnection = (status, client) => {
      const own = readHandle(server);
      if (own?.onconnection) own.onconnection(status, client);
      else client?.close();
    };
  }
  return listener;
}

function readHandle(server: Server): ListeningHandle | undefined {
  return (server as unknown as { readonly _handle?: ListeningHandle | null })._handle ?? undefined;
}
