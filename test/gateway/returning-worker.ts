import type { AddressInfo } from "node:net";
import type { WorkerServer } from "./workers.js";

/**
 * Takes a worker from its address: its connections break, and new ones are refused. It keeps its sessions, like a server that
 * restarts on its storage folder.
 *
 * @returns a function that brings the worker back, by default at its former port, and returns its URL
 */
export async function takeAway({ proxy, url }: WorkerServer): Promise<(port?: number) => Promise<string>> {
  const { server } = proxy.app;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  return async (port = Number(new URL(url).port)) => {
    await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port }, resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
}
