import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { WaitingMemory } from "../../src/http/connections/waiting-memory.js";
import { type ListeningProxy, listeningProxy } from "../helpers/listening-proxy.js";
import type { StartedSession } from "../helpers/proxy.js";
import { question, RawClient } from "../helpers/raw-client.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

/** Requests that wait for earlier answers on their connections, with headers near their limit. */

const GET = requestHead("GET", "/livez");

let server: ListeningProxy<ScriptedEngine>;
let url: URL;
let session: StartedSession;
beforeEach(async () => {
  server = await listeningProxy();
  url = new URL(server.url);
  session = await server.proxy.session();
});

function spyOnTake() {
  const take = vi.spyOn(WaitingMemory.prototype, "take");
  onTestFinished(() => take.mockRestore());
  return take;
}

it("take limited memory on all connections together", async () => {
  const { engine, app } = server.proxy;
  const take = spyOnTake();
  const release = engine.hold();
  const large = requestHead("GET", "/livez", `x-padding: ${"x".repeat(15_000)}`);
  const clients = Array.from({ length: 50 }, () => new RawClient(url, session));
  for (const client of clients) {
    client.read();
    client.send(question("one"));
    client.socket.write(large.repeat(90));
  }
  await until(() => engine.calls.length === clients.length);
  await until(() => take.mock.results.some(({ value }) => value === false));
  const other = new RawClient(url, session);
  other.read();
  other.send(question("other"));
  other.socket.write(large);
  await until(() => engine.calls.length === clients.length + 1);
  release();
  // The connections whose requests found no room are closed after their answers.
  await until(() => other.socket.readableEnded);
  expect(other.answers).toBe(1);
  await until(() => app.connections.openAnswers === 0);
  const answered = clients.reduce((sum, client) => sum + client.answers, 0);
  expect(answered).toBeLessThan(clients.length + (64 * 1024 * 1024) / 15_000);
  const later = await openConnection(url.port, large + large + requestHead("GET", "/livez", "connection: close"));
  await until(later.ended);
  expect(later.received().match(/200 OK/g)).toHaveLength(3);
});

it("close the connection after a stream in progress if there is no room for any of them", async () => {
  const { engine } = server.proxy;
  let release = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  engine.replies.push({ ids: [300, 301], perFrame: 1, beforeFrame: (frame) => (frame === 1 ? gate : undefined) });
  const take = spyOnTake().mockReturnValue(false);
  const client = new RawClient(url, session);
  client.read();
  client.send(question("one", { stream: true }));
  await until(() => client.received.includes("data: "));
  client.socket.write(GET);
  await until(() => take.mock.calls.length > 0);
  release();
  await until(() => client.socket.readableEnded);
  expect(client.received).toContain("data: [DONE]");
  expect(client.answers).toBe(1);
});

it("stay with the operating system once the connection refuses them", async () => {
  const { engine, app } = server.proxy;
  const release = engine.hold();
  let received = 0;
  app.server.on("request", () => received++);
  const client = new RawClient(url, session);
  client.read();
  client.send(question("one"));
  client.socket.write(requestHead("GET", "/livez", `x-padding: ${"x".repeat(15_000)}`).repeat(300));
  await until(() => received > 101);
  for (let i = 0; i < 10; i++) await fetch(`${server.url}/livez`);
  // The requests of the chunk that was read last were received, too.
  expect(received - 10).toBeLessThan(101 + 10);
  release();
  await until(() => client.socket.readableEnded);
  expect(client.answers).toBe(101);
});
