import { once } from "node:events";
import type { Socket } from "node:net";
import type { Proxy, StartedSession } from "./proxy.js";
import { type RawCall, RawClient } from "./raw-client.js";
import { until } from "./until.js";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Resolves when a listening proxy has handled the disconnect of every client. */
export async function clientsLeft({ app }: Proxy): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  while ((await connections()) > 0) await nextTurn();
  // The count drops before listeners are called for the closed connection.
  await nextTurn();
  await nextTurn();
}

/** More bytes than the operating system buffers for a client that does not read. */
const FULL = 32 * 1024 * 1024;

/**
 * Makes a call that is recorded, but whose answer does not reach the client: its connection is full when the answer is written,
 * and then the client disconnects.
 *
 * @returns the id of the interaction
 */
export async function loseAnswer(proxy: Proxy, url: URL, started: StartedSession, call: RawCall): Promise<string> {
  const session = proxy.context.registry.get(started.id);
  const count = session.interactionCount;
  const accepted = once(proxy.app.server, "connection") as Promise<[Socket]>;
  const client = new RawClient(url, started);
  const [connection] = await accepted;
  connection.write(Buffer.alloc(FULL));
  client.send(call);
  await until(() => session.interactionCount === count + 1);
  client.leave();
  await clientsLeft(proxy);
  await until(() => session.calls.size === 0);
  return session.interaction(count).id;
}
