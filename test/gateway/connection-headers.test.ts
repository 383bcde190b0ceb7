import { expect, it } from "vitest";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

/** Headers about the connection between client and gateway. They do not concern the worker. */

it.each([
  "keep-alive: timeout=5",
  "connection: keep-alive, x-other",
  "connection: upgrade\r\nupgrade: websocket",
  "te: trailers",
  "trailer: x-checksum",
  "http2-settings: AA",
  "proxy-connection: keep-alive",
])("are not forwarded, and a client cannot make a worker count as down with them: %s", async (header) => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const { key } = await gateway.session();
  const { port } = new URL(gateway.url);
  const { received } = await openConnection(port, requestHead("GET", "/v1/models", `x-api-key: ${key}`, header));
  await until(() => received().includes("\r\n\r\n"));
  expect(received()).toMatch(/^HTTP\/1.1 200 /);
  expect(gateway.pool.ready()).toHaveLength(1);
});
