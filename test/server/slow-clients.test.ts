import { once } from "node:events";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { type ConnectionLimits, createApp } from "../../src/http/create-app.js";
import { openConnection } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** Clients that send slowly, or open many connections, cannot keep others out. */

const NO_LIMITS: ConnectionLimits = {
  maxConnections: 100,
  headersTimeoutMilliseconds: 0,
  requestTimeoutMilliseconds: 0,
  maxPipelinedRequests: 100,
};

async function start(limits: Partial<ConnectionLimits>): Promise<{ readonly server: Server; readonly port: number }> {
  const connections = { ...NO_LIMITS, ...limits };
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

it("closes connections beyond their limit, and accepts new ones when others end", async () => {
  const port = await listen({ maxConnections: 2 });
  const first = await openConnection(port);
  await openConnection(port);
  const third = await openConnection(port);
  await until(() => third.socket.destroyed);
  first.socket.destroy();
  const answer = async () => {
    const { socket, received } = await openConnection(port, `${POST}content-length: 0\r\n\r\n`);
    await Promise.race([once(socket, "data"), once(socket, "close")]);
    return received();
  };
  await expect.poll(answer).toMatch(/^HTTP\/1.1 200/);
});
