import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/create-app.js";
import { errorHandler } from "../../src/http/error-handler.js";
import { jsonBody } from "../../src/http/json-body.js";
import { captureLog } from "../helpers/captured-log.js";
import { LENIENT_CONNECTIONS } from "../helpers/lenient-connections.js";
import { openConnection } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";

it("counts a client that disconnects in the middle of its body as 400, and does not log a warning", async () => {
  const { logger, lines } = captureLog({ level: "warn" });
  const app = createApp({ maxBodyBytes: 1000, connections: LENIENT_CONNECTIONS, logger });
  onTestFinished(() => app.close());
  await app.register(errorHandler);
  await app.register(jsonBody);
  const statuses: number[] = [];
  let received = false;
  app.addHook("preParsing", (_request, _reply, _payload, next) => {
    received = true;
    next();
  });
  app.addHook("onError", (_request, reply, _error, next) => {
    setImmediate(() => statuses.push(reply.statusCode));
    next();
  });
  app.post("/", async () => ({}));
  await app.listen({ host: "127.0.0.1", port: 0 });

  const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
  const { port } = app.server.address() as AddressInfo;
  const { socket } = await openConnection(port, `${head}{"a":`);
  await until(() => received);
  socket.destroy();
  await until(() => statuses.length === 1);
  expect(statuses).toEqual([400]);
  expect(lines).toEqual([]);
});
