import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { captureLog, type LogLine } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";

async function readLog(accessLog: boolean): Promise<LogLine[]> {
  const { logger, lines } = captureLog();
  const app = createApp({ maxBodyBytes: 100, connections: LENIENT_CONNECTIONS, logger, accessLog });
  onTestFinished(() => app.close());
  app.get("/ok", async (_, reply) => reply.code(201).send("x"));
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await app.inject({ url: "/ok?key=secret", headers: { traceparent } });
  await app.inject({ method: "POST", url: "/nothing" });
  return lines.filter(({ msg }) => msg === "request");
}

it("has a line for each request, with its trace and without its query", async () => {
  const seconds = expect.any(Number) as number;
  expect(await readLog(true)).toMatchObject([
    { method: "GET", path: "/ok", status: 201, complete: true, seconds, trace_id: "4bf92f3577b34da6a3ce929d0e0e4736" },
    { method: "POST", path: "/nothing", status: 404, complete: true, seconds },
  ]);
});

it("has no line unless it is switched on", async () => {
  expect(await readLog(false)).toEqual([]);
});
