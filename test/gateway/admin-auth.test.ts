import { expect, it } from "vitest";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
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
  const head = requestHead("POST", "/export_batch", "content-type: application/json", "content-length: 9000000");
  const { received } = await openConnection(new URL(gateway.url).port, head);
  await until(() => received().includes("missing_api_key"));
  expect(received()).toMatch(/connection: close/i);
});
