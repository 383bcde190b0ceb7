import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type ConnectionLimits, createApp } from "../../src/http/create-app.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** Clients that send slowly, or open many connections, cannot keep others out. */

async function start(limits: Partial<ConnectionLimits>): Promise<{ readonly server: Server; readonly port: number }> {
  const connections = { ...LENIENT_CONNECTIONS, ...limits };
  const app = createApp({ maxBodyBytes: 1000, connections });
  app.post("/", async () => "");
  onTestFinished(() => app.close());
  onTestFinished(() => app.server.closeAllConnections());
  await app.listen({ host: "127.0.0.1", port: 0 });
  return { server: app.server, port: (app.server.address() as AddressInfo).port };
}

const listen = async (limits: Partial<ConnectionLimits>): Promise<number> => (await start(limits)).port;

const countConnections = (server: Server) => promisify(server.getConnections.bind(server))();

const POST = "POST / HTTP/1.1\r\nhost: x\r\n";

it("answers 408 and closes if the headers take too long", async () => {
  const port = await listen({ headersTimeoutMilliseconds: 100, requestTimeoutMilliseconds: 60_000 });
  const { socket, received } = await openConnection(port, POST);
  await once(socket, "close");
  expect(received()).toMatch(/^HTTP\/1.1 408 .*request_timeout/s);
});

it("answers 408 and closes if the body takes too long", async () => {
  const port = await listen({ requestTimeoutMilliseconds: 100 });
  const { socket, received } = await openConnection(
    port,
    `${POST}content-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
  );
  await once(socket, "close");
  expect(received()).toMatch(/^HTTP\/1.1 408 .*request_timeout/s);
});

it.each([
  ["sends nothing", ""],
  ["sends a part of the headers", POST],
  ["sends no HTTP", "no request\r\n\r\n"],
])("closes the connection of a client that %s and never closes its side", async (_, text) => {
  const { server, port } = await start({ headersTimeoutMilliseconds: 100, requestTimeoutMilliseconds: 60_000 });
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined).resume();
  socket.write(text);
  const [served] = await accepted;
  await until(() => served.destroyed);
  await expect.poll(() => countConnections(server)).toBe(0);
});

it("closes the connection that has been idle longest for a new one beyond their limit", async () => {
  const { server, port } = await start({ maxConnections: 2 });
  const first = await openConnection(port);
  const second = await openConnection(port);
  const { socket, received } = await openConnection(port, `${POST}content-length: 0\r\n\r\n`);
  await Promise.race([once(socket, "data"), once(socket, "close")]);
  expect(received()).toMatch(/^HTTP\/1.1 200/);
  await until(() => first.socket.destroyed);
  expect(second.socket.destroyed).toBe(false);
  expect(await countConnections(server)).toBe(2);
});
