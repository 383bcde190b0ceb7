import { type AddressInfo, Socket } from "node:net";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { ApiError, type ErrorCode } from "../../src/http/errors.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

/** The answers to requests that fail. */

async function start() {
  const { logger, lines } = captureLog();
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS, logger });
  onTestFinished(() => app.close());
  const answered: string[] = [];
  await app.register(errorHandler, { onAnswer: ({ code }) => answered.push(code) });
  app.post<{ Params: { code: ErrorCode } }>("/fail/:code", async ({ params }, reply) => {
    void reply.type("text/event-stream");
    throw new ApiError(params.code, "It failed.");
  });
  return { app, answered, lines };
}

it.each<[ErrorCode, number, string | undefined, string | undefined]>([
  ["invalid_value", 400, undefined, undefined],
  ["store_full", 503, "5", undefined],
  ["session_damaged", 500, undefined, "false"],
])("%s has its status, and tells clients when and whether to repeat the call", async (code, status, after, retry) => {
  const { app, answered } = await start();
  const { statusCode, headers, body } = await app.inject({ method: "POST", url: `/fail/${code}` });
  expect([statusCode, headers["retry-after"], headers["x-should-retry"]]).toEqual([status, after, retry]);
  expect(headers["content-type"]).toMatch(/^application\/json/);
  expect(JSON.parse(body)).toMatchObject({ error: { code, message: "It failed." } });
  expect(answered).toEqual([code]);
});

it("an error of the server is logged, and a mistake of the client is not", async () => {
  const { app, lines } = await start();
  for (const code of ["invalid_value", "session_damaged"]) await app.inject({ method: "POST", url: `/fail/${code}` });
  expect(lines).toMatchObject([{ level: pino.levels.values["warn"], code: "session_damaged", msg: "It failed." }]);
});

it("a request that is no HTTP is counted, and a connection that breaks is not", async () => {
  const { app, answered } = await start();
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  app.server.emit("clientError", Object.assign(new Error("gone"), { code: "ECONNRESET" }), new Socket());
  const { received } = await openConnection(port, "no HTTP\r\n\r\n");
  await until(() => received().includes("malformed_request"));
  expect(answered).toEqual(["malformed_request"]);
});

it("an unknown path is refused once, with its method and without its query", async () => {
  const { app, answered } = await start();
  const { statusCode, body } = await app.inject({ method: "DELETE", url: "/nothing?key=secret" });
  expect(statusCode).toBe(404);
  expect(JSON.parse(body)).toMatchObject({
    error: { code: "not_found", message: "Route DELETE /nothing does not exist." },
  });
  expect(answered).toEqual(["not_found"]);
});

it("a path that is malformed is refused once, and no route runs", async () => {
  const { app, answered } = await start();
  const { statusCode, body } = await app.inject({ method: "POST", url: "/fail/%zz" });
  expect([statusCode, answered]).toEqual([404, ["not_found"]]);
  expect(JSON.parse(body)).toMatchObject({ error: { message: expect.stringMatching(/^The path is malformed/) } });
});

it("a body beyond the limit is refused with the limit and its size", async () => {
  const { app } = await start();
  const payload = JSON.stringify({ text: "a".repeat(200) });
  const headers = { "content-type": "application/json" };
  const { statusCode, body } = await app.inject({ method: "POST", url: "/fail/invalid_value", payload, headers });
  expect(statusCode).toBe(413);
  expect(JSON.parse(body)).toMatchObject({
    error: { message: expect.stringMatching(/at most 100 bytes \(.*\); received 211\.$/) },
  });
});
