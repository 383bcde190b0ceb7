import { connect } from "node:net";
import { Registry } from "prom-client";
import { expect, it, onTestFinished } from "vitest";
import { bodyBudget, declaredSize } from "../../src/http/body-budget.js";
import { BodyShares } from "../../src/http/body-shares.js";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { jsonBody } from "../../src/http/json-body.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

const LIMIT = 1000;

async function start() {
  const app = createApp({ maxBodyBytes: LIMIT, connections: LENIENT_CONNECTIONS });
  onTestFinished(() => app.close());
  const [register, budget, sender] = [new Registry(), new BodyShares(LIMIT), {}];
  await app.register(errorHandler);
  await app.register(bodyBudget, {
    budget,
    findSender: ({ headers }) => (headers["x-trainer"] === undefined ? sender : null),
    register,
    metric: "body_bytes",
  });
  await app.register(jsonBody);
  app.post("/", async (request) => ({ used: budget.used, size: declaredSize(request) }));
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  /** Sends the head of a body that does not come. */
  const begin = async (size: number) => {
    const before = budget.used;
    const socket = connect({ host: "127.0.0.1", port: Number(port) });
    onTestFinished(() => void socket.destroy());
    socket.write(requestHead("POST", "/", "content-type: application/json", `content-length: ${size}`));
    await until(() => budget.used > before);
    return socket;
  };
  return { app, budget, register, begin };
}

it("a body counts from its headers until it is parsed", async () => {
  const { app, budget, register, begin } = await start();
  expect((await app.inject({ method: "POST", url: "/", payload: { a: 1 } })).json()).toEqual({ used: 0, size: 7 });
  const socket = await begin(900);
  expect(await register.metrics()).toContain("body_bytes 900");
  socket.destroy();
  await until(() => budget.used === 0);
});

it.each([
  ["its sender sends another one", {}, "This session is sending more bodies at once than its share of"],
  ["others use the budget", { "x-trainer": "1" }, "The server is receiving as many request bodies as"],
])("a body is refused if %s", async (_, headers, message) => {
  const { app, begin } = await start();
  await begin(900);
  const { statusCode, body } = await app.inject({ method: "POST", url: "/", headers, payload: { a: "x".repeat(50) } });
  expect(statusCode).toBe(503);
  expect(JSON.parse(body)).toMatchObject({
    error: { code: "server_busy", message: expect.stringMatching(`${message} server.body_bytes_in_flight \\(1000`) },
  });
});

it("a body without a declared size counts with the limit, and one that is refused or empty with nothing", async () => {
  const { app } = await start();
  const sizeOf = (headers: Record<string, string>) => declaredSize({ headers, server: app } as never);
  expect(sizeOf({ "transfer-encoding": "chunked" })).toBe(LIMIT);
  expect(["0", "1", "1000", "1001", "x"].map((length) => sizeOf({ "content-length": length }))).toEqual([
    0, 1, 1000, 0, 0,
  ]);
  expect(sizeOf({})).toBe(0);
});
