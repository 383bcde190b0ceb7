import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acceptSeveral } from "../../src/http/connections/accept-queue.js";

const CLIENTS = 64;

let server: Server;
let accepted: Socket[];
let clients: Socket[];
beforeEach(async () => {
  [accepted, clients] = [[], []];
  server = createServer((socket) => accepted.push(socket.on("error", () => undefined))).listen({
    port: 0,
    host: "127.0.0.1",
  });
  await once(server, "listening");
});
afterEach(() => {
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
});

function connectTo(port: number): Socket {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  clients.push(socket);
  return socket;
}

const portOf = () => (server.address() as AddressInfo).port;

/** Opens connections in one iteration of the event loop. Returns in how many iterations all of them were accepted. */
async function countIterations(): Promise<number> {
  const port = portOf();
  for (let i = 0; i < CLIENTS; i++) connectTo(port);
  let iterations = 0;
  while (accepted.length < CLIENTS) {
    await new Promise(setImmediate);
    iterations++;
  }
  return iterations;
}

describe("acceptSeveral", () => {
  it("accepts several connections in each iteration of the event loop", async () => {
    const remove = await acceptSeveral(server);
    expect(await countIterations()).toBeLessThan(CLIENTS / 4);
    remove();
  });

  it("gives all connections to the server", async () => {
    const remove = await acceptSeveral(server);
    await countIterations();
    const count = await new Promise((resolve) => server.getConnections((_error, connections) => resolve(connections)));
    expect(count).toBe(CLIENTS);
    remove();
  });

  it("frees the port when its handles are removed and the server is closed", async () => {
    const remove = await acceptSeveral(server);
    const port = portOf();
    remove();
    server.close();
    const [error] = (await once(connectTo(port).removeAllListeners("error"), "error")) as [NodeJS.ErrnoException];
    expect(error.code).toBe("ECONNREFUSED");
  });

  it("lets the server accept alone after its handles are removed", async () => {
    const remove = await acceptSeveral(server);
    remove();
    await countIterations();
    expect(accepted).toHaveLength(CLIENTS);
  });
});
