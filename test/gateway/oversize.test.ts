import { request } from "node:http";
import { expect, it } from "vitest";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

const LIMIT = 1 << 16;
const OVERSIZE = "x".repeat(1 << 24);

/** Starts an upload whose client disconnects when the worker has received the beginning. */
async function leaveMidway(url: string, key: string, arrived: () => boolean): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": "50000" };
  const upload = request(`${url}/v1/chat/completions`, { method: "POST", headers });
  const closed = new Promise<void>((resolve) => upload.on("error", () => undefined).on("close", () => resolve()));
  upload.write("x".repeat(1000));
  await until(arrived);
  upload.destroy();
  await closed;
}

it("refuses a body larger than the limit, like a server", async () => {
  const worker = await startWorker("one", { settings: { maxBodyBytes: LIMIT } });
  const gateway = await Gateway.start({ urls: [worker.url] }, 60, LIMIT);
  const { key } = await gateway.session();
  expect((await gateway.chat(key, OVERSIZE)).refusal).toBe("413 body_too_large");
  expect((await gateway.chat(key, "hello")).status).toBe(200);
});

it("keeps a worker that refused a large body, or whose client disconnected while sending", async () => {
  const worker = await startWorker("one", { settings: { maxBodyBytes: LIMIT } });
  const gateway = await Gateway.start({ urls: [worker.url] });
  const { key } = await gateway.session();
  expect([413, 503]).toContain((await gateway.chat(key, OVERSIZE)).status);
  expect(gateway.pool.ready()).toHaveLength(1);
  let arrived = false;
  let over = false;
  worker.proxy.app.server.once("request", (incoming) => {
    arrived = true;
    incoming.once("close", () => (over = true));
  });
  await leaveMidway(gateway.url, key, () => arrived);
  await until(() => over);
  expect(gateway.pool.ready()).toHaveLength(1);
});
