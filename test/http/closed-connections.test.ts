import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { pino } from "pino";
import { Registry } from "prom-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { closedConnections } from "../../src/http/connections/closed-connections.js";
import { type ConnectionLimits, createApp } from "../../src/http/create-app.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** The server closes connections beyond its limits, and reports them in its metrics and its log. */

const FULL = 32 * 1024 * 1024;

async function start(limits: Partial<ConnectionLimits>) {
  const { logger, lines } = captureLog({ level: "warn" });
  const connections = { ...LENIENT_CONNECTIONS, ...limits };
  const app = createApp({ maxBodyBytes: 1000, connections, logger, needsKey: () => true });
  onTestFinished(() => app.close());
  onTestFinished(() => app.server.closeAllConnections());
  const register = new Registry();
  const { sendTimeoutMilliseconds } = connections;
  await app.register(closedConnections, { register, metric: "closed_total", sendTimeoutMilliseconds });
  app.get("/large", async (_request, reply) => reply.send(Buffer.alloc(FULL)));
  await app.listen({ host: "127.0.0.1", port: 0 });
  const count = async () => {
    const { values } = (await register.getMetricsAsJSON()).find(({ name }) => name === "closed_total") ?? {
      values: [],
    };
    return Object.fromEntries(values.map(({ labels, value }) => [labels["reason"], value]));
  };
  return { app, port: (app.server.address() as AddressInfo).port, lines, count };
}

it("counts and logs an answer that is cut because its client stopped reading", async () => {
  const { app, port, lines, count } = await start({ sendTimeoutMilliseconds: 50 });
  const { socket } = await openConnection(port);
  socket.pause();
  socket.write(requestHead("GET", "/large"));
  await until(() => app.connections.openAnswers === 1);
  await until(() => app.connections.size === 0);
  expect(await count()).toEqual({ max_connections: 0, idle: 0, send_timeout: 1 });
  expect(lines).toMatchObject([
    {
      level: pino.levels.values["warn"],
      count: 1,
      cutAnswers: [{ route: "GET /large", bytes: FULL, sessions: 0 }],
      msg: "answers were cut because their clients stopped reading",
    },
  ]);
  const cutAnswers = lines[0]?.["cutAnswers"] as [{ bytesSent: number }];
  expect(cutAnswers[0].bytesSent).toBeGreaterThan(0);
  expect(cutAnswers[0].bytesSent).toBeLessThan(FULL);
});

it("counts idle connections that are closed because there are too many", async () => {
  const { port, count } = await start({ maxConnections: 1 });
  const first = await openConnection(port);
  await openConnection(port);
  await until(() => first.socket.destroyed);
  expect(await count()).toEqual({ max_connections: 0, idle: 1, send_timeout: 0 });
});

it("counts new connections that are closed because all others run requests", async () => {
  const { app, port, count } = await start({ maxConnections: 1 });
  const { socket } = await openConnection(port);
  socket.pause();
  socket.write(requestHead("GET", "/large"));
  await until(() => app.connections.openAnswers === 1);
  const second = await openConnection(port);
  await until(() => second.socket.destroyed);
  expect(await count()).toEqual({ max_connections: 1, idle: 0, send_timeout: 0 });
});

describe("a connection whose idle time is over", () => {
  /** Opens a connection that was answered once. */
  async function openIdle() {
    const { app, port } = await start({});
    const connected = once(app.server, "connection") as Promise<[Socket]>;
    const { socket, received } = await openConnection(port, requestHead("GET", "/nothing"));
    const [served] = await connected;
    await until(() => received().includes("404"));
    served.emit("timeout");
    return { socket, received };
  }

  it("answers a request that arrived meanwhile", async () => {
    const { socket, received } = await openIdle();
    socket.write(requestHead("GET", "/nothing"));
    await expect.poll(() => received().match(/HTTP\/1\.1 404/g)).toHaveLength(2);
  });

  it("is closed if nothing arrives", async () => {
    const { socket, received } = await openIdle();
    await once(socket, "close");
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 404"]);
  });
});
