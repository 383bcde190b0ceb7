import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** Far above the time-out below and the time between two checks. */
const PAUSE_MS = 3000;

async function listen(): Promise<{ readonly server: Server; readonly port: number }> {
  const limits = { headersTimeoutMilliseconds: 200, requestTimeoutMilliseconds: 200 };
  const app = createApp({ maxBodyBytes: 1000, connections: { ...LENIENT_CONNECTIONS, ...limits } });
  app.get("/", async () => "answer");
  onTestFinished(() => app.close());
  onTestFinished(() => app.server.closeAllConnections());
  await app.listen({ host: "127.0.0.1", port: 0 });
  return { server: app.server, port: (app.server.address() as AddressInfo).port };
}

/** A client on another thread, which sends the first part at once and the second part when this thread runs again. */
const CLIENT = `
  const { workerData: { port, first, second, flag }, parentPort } = require("node:worker_threads");
  const socket = require("node:net").connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (bytes) => parentPort.postMessage((received += bytes)));
  socket.on("error", () => undefined);
  socket.write(first, () => {
    Atomics.wait(flag, 0, 0);
    if (second) socket.write(second);
  });
`;

/** Sends a request in two parts. Server and client stand still in between. Returns the answer. */
async function sendAcrossPause(first: string, second: string): Promise<string> {
  const { server, port } = await listen();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const connected = once(server, "connection") as Promise<[Socket]>;
  const client = new Worker(CLIENT, { eval: true, workerData: { port, first, second, flag } });
  onTestFinished(async () => void (await client.terminate()));
  const answered = once(client, "message") as Promise<[string]>;
  const [socket] = await connected;
  await until(() => socket.bytesRead === first.length);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  // The check for slow requests is overdue, so it comes in one of the next turns of the event loop.
  for (let i = 0; i < 3; i++) await turn();
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
  return (await answered)[0];
}

const HEAD = requestHead("GET", "/");

/** Opens a connection that was answered once, and whose idle time is over. */
async function openIdle() {
  const { server, port } = await listen();
  const connected = once(server, "connection") as Promise<[Socket]>;
  const { socket, received } = await openConnection(port, HEAD);
  const [served] = await connected;
  await until(() => received().endsWith("answer"));
  served.emit("timeout");
  return { socket, received };
}

describe("a server that stood still", () => {
  it("answers a request whose rest arrives afterwards", async () => {
    expect(await sendAcrossPause(HEAD.slice(0, 10), HEAD.slice(10))).toMatch(/^HTTP\/1.1 200/);
  });

  it("refuses a request whose rest does not arrive afterwards", async () => {
    expect(await sendAcrossPause(HEAD.slice(0, 10), "")).toMatch(/^HTTP\/1.1 408/);
  });

  it("answers a request that arrived on a connection whose idle time is over", async () => {
    const { socket, received } = await openIdle();
    socket.write(HEAD);
    await expect.poll(() => received().split("answer").length - 1).toBe(2);
  });

  it("closes a connection whose idle time is over if nothing arrives", async () => {
    const { socket, received } = await openIdle();
    await once(socket, "close");
    expect(received().split("answer").length - 1).toBe(1);
  });
});
