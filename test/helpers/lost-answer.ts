import type { Proxy, StartedSession } from "./proxy.js";
import { type RawCall, RawClient } from "./raw-client.js";
import { until } from "./until.js";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Waits until a listening proxy has handled the disconnection of every client. */
export async function clientsLeft({ app }: Proxy): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  while ((await connections()) > 0) await nextTurn();
  // A connection is no longer counted before its `close` event reaches all listeners.
  await nextTurn();
  await nextTurn();
}

/**
 * Makes a call that is recorded, but whose answer does not reach the client: the answer is queued behind another one on the
 * same connection when the client disconnects.
 *
 * @returns the id of the interaction
 */
export async function loseAnswer(proxy: Proxy, url: URL, started: StartedSession, call: RawCall): Promise<string> {
  const session = proxy.context.registry.get(started.id);
  const before = { calls: proxy.engine.calls.length, count: session.interactionCount };
  const release = proxy.engine.hold();
  const client = new RawClient(url, started);
  const slow = [{ role: "user", content: "takes long" }];
  client.send({ path: "/v1/chat/completions", body: { model: "tiny", messages: slow } });
  await until(() => proxy.engine.calls.length === before.calls + 1);
  proxy.engine.pass();
  client.send(call);
  await until(() => session.interactionCount === before.count + 1);
  client.leave();
  await clientsLeft(proxy);
  release();
  await until(() => session.calls.size === 0);
  return session.interaction(before.count).id;
}
