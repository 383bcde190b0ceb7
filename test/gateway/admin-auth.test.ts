import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../helpers/until.js";
import { Gateway, startWorker } from "./workers.js";

it.each([
  ["no key", null, "401 missing_api_key"],
  ["an unknown key", "sk-wrong", "401 invalid_api_key"],
])("refuses control calls with %s before a worker sees them", async (_, key, refusal) => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const seen: string[] = [];
  worker.proxy.app.server.on("request", ({ url }: { url: string }) => seen.push(url));
  expect((await gateway.post("/export_batch", { session_ids: ["a"] }, key)).refusal).toBe(refusal);
  expect(seen).toEqual([]);
});

it("refuses control calls with a session key", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const { key } = await gateway.session();
  expect((await gateway.post("/grant_capacity", { slots: 1 }, key)).refusal).toBe("403 wrong_key_kind");
});

it("refuses a control body without a key before it was sent", async () => {
  const worker = await startWorker("one");
  const gateway = await Gateway.start({ urls: [worker.url] });
  const { hostname: host, port } = new URL(gateway.url);
  const socket = connect({ host, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (bytes) => (text += bytes.toString("latin1")));
  await once(socket, "connect");
  socket.write(
    "POST /export_batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9000000\r\n\r\n",
  );
  await until(() => text.includes("missing_api_key"));
  expect(text).toMatch(/connection: close/i);
});
