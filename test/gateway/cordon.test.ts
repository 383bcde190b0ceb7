import { expect, it } from "vitest";
import { startScripted } from "./scripted-worker.js";
import { Gateway, readWorkerTag, startWorker } from "./workers.js";

/** A worker is cordoned through the gateway or by itself. The gateway then starts sessions elsewhere. */

interface Health {
  readonly status: string;
  readonly workers: readonly { readonly tag: string; readonly status: string; readonly capacity: number }[];
}

async function start() {
  const workers = [await startWorker("one"), await startWorker("two")] as const;
  return { workers, gateway: await Gateway.start({ urls: workers.map(({ url }) => url) }) };
}

const cordon = (gateway: Gateway, body: object) => gateway.post("/rl/cordon", body);
const states = async (gateway: Gateway) =>
  (await gateway.get("/health", null))
    .json<Health>()
    .workers.map(({ tag, status, capacity }) => [tag, status, capacity]);
const tags = async (gateway: Gateway, count: number) => {
  const sessions = await Promise.all(Array.from({ length: count }, () => gateway.session()));
  return new Set(sessions.map(({ id }) => readWorkerTag(id)));
};

it("starts sessions on other workers only, and forwards the calls of those that the worker has", async () => {
  const { gateway } = await start();
  const sessions = [await gateway.session(), await gateway.session()];
  const { key = "" } = sessions.find(({ id }) => readWorkerTag(id) === "one") ?? {};
  expect((await cordon(gateway, { worker: "one" })).json()).toEqual({ cordoned: true, sessions: 1 });
  expect(await tags(gateway, 6)).toEqual(new Set(["two"]));
  expect((await gateway.chat(key, "hello")).status).toBe(200);
  expect((await gateway.post("/rl/end_session", {}, key)).status).toBe(200);
  const uncordoned = await gateway.post("/rl/uncordon", { worker: "one" });
  expect(uncordoned.json()).toEqual({ cordoned: false, sessions: 1 });
  expect(await tags(gateway, 6)).toContain("one");
});

it("counts no slots of a cordoned worker, and grants it none", async () => {
  const { gateway, workers } = await start();
  const [one, two] = workers;
  expect((await gateway.post("/grant_capacity", { slots: 20 })).json()).toEqual({ capacity: 20 });
  await cordon(gateway, { worker: one.url });
  expect((await gateway.post("/grant_capacity", { slots: 3 })).json()).toEqual({ capacity: 13 });
  expect(workers.map(({ proxy }) => proxy.context.registry.capacity)).toEqual([10, 13]);
  await gateway.pool.refresh();
  expect(await states(gateway)).toEqual([
    ["one", "cordoned", 0],
    ["two", "ok", 13],
  ]);
  await two.kill();
  await gateway.pool.refresh();
  expect((await gateway.post("/rl/start_session")).refusal).toBe("503 worker_unavailable");
});

it("starts sessions elsewhere if the worker was cordoned by itself a moment ago", async () => {
  const { gateway, workers } = await start();
  await gateway.post("/grant_capacity", { slots: 4 });
  const run = (await gateway.post("/rl/start_run")).json<{ run_api_key: string }>();
  await workers[0].proxy.post("/rl/cordon", {});
  expect((await states(gateway)).map(([, status]) => status)).toEqual(["ok", "ok"]);
  const started = await gateway.post("/rl/start_session");
  expect(readWorkerTag(started.json<{ session_id: string }>().session_id)).toBe("two");
  const headers = { "content-type": "application/json", "x-session-id": "a" };
  const body = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  const call = await gateway.send("/v1/chat/completions", { method: "POST", headers, body }, run.run_api_key);
  expect(call.status).toBe(200);
  expect(workers.map(({ proxy }) => [...proxy.context.registry.all()].length)).toEqual([0, 2]);
});

it("refuses a call without a worker, and one for an unknown worker", async () => {
  const { gateway } = await start();
  for (const [body, received] of [
    [{}, "nothing"],
    [{ worker: "three" }, "three"],
    [{ worker: "http://127.0.0.1:1" }, "http://127.0.0.1:1"],
  ] as const) {
    const { refusal, error } = await cordon(gateway, body);
    expect([refusal, error.message]).toEqual([
      "400 invalid_value",
      `\`worker\` must be the tag or the address of one of the workers behind this gateway (\`GET /health\` lists them); received ${received}.`,
    ]);
  }
  expect((await states(gateway)).map(([, status]) => status)).toEqual(["ok", "ok"]);
});

it("returns the worker's refusal, and 503 if the worker does not answer", async () => {
  const body = { error: { message: "no", type: "invalid_request_error", code: "invalid_value", param: null } };
  const other = await startScripted("one", { "/rl/cordon": () => ({ status: 400, body }) });
  const broken = await startScripted("two", { "/rl/cordon": () => "broken" as const });
  const gateway = await Gateway.start({ urls: [other.url, broken.url] });
  expect((await cordon(gateway, { worker: "one" })).refusal).toBe("400 invalid_value");
  expect(other.calls).toEqual([{ path: "/rl/cordon", body: { worker: "one" } }]);
  expect((await cordon(gateway, { worker: "two" })).refusal).toBe("503 worker_unavailable");
  expect((await states(gateway)).map(([, status]) => status)).not.toContain("cordoned");
});
