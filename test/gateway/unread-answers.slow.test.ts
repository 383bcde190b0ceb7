import { expect, it } from "vitest";
import { readSample } from "../helpers/metrics-text.js";
import { RawClient } from "../helpers/raw-client.js";
import { openConnection } from "../helpers/raw-connection.js";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

const countClosed = async (gateway: Gateway, reason: string) =>
  readSample(
    (await gateway.get("/metrics")).raw.toString(),
    `rolltape_gateway_closed_connections_total{reason="${reason}"}`,
  );

it("cuts an answer whose client stopped reading, and the worker records it as undelivered", async () => {
  const worker = await startWorker("one");
  const { engine, context } = worker.proxy;
  engine.context = 1 << 20;
  // More bytes than the buffers between worker, gateway and client hold.
  engine.replies.push({ ids: Array.from({ length: 200_000 }, (_, i) => 300 + (i % 200)) });
  const connections = { sendTimeoutMilliseconds: 50 };
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { connections });
  const started = await gateway.session();
  const client = new RawClient(new URL(gateway.url), started);
  const body = { model: "tiny", messages: [{ role: "user", content: "hello" }], logprobs: true };
  client.send({ path: "/v1/chat/completions", body });
  await until(() => context.registry.get(started.id).leftOut.reasonOf(0) === "undelivered");
  expect(await countClosed(gateway, "send_timeout")).toBe(1);
});

it("counts idle connections that are closed because there are too many", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, {
    connections: { maxConnections: 1 },
  });
  const first = await openConnection(new URL(gateway.url).port);
  expect(await countClosed(gateway, "idle")).toBe(1);
  await until(() => first.socket.destroyed);
});
