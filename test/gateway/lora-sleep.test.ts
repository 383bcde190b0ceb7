import { beforeEach, expect, it, onTestFinished } from "vitest";
import { createVllmEngine } from "../../src/engine/index.js";
import { startVllmServer, type VllmServer } from "../helpers/vllm/vllm-server.js";
import { Gateway, startWorker } from "./workers.js";

/** Adapters and sleep through a gateway whose workers share an engine server. */

let server: VllmServer;
let gateway: Gateway;

async function startOn(tag: string) {
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(() => engine.close());
  return startWorker(tag, { engine });
}

beforeEach(async () => {
  server = await startVllmServer({ lora: true });
  onTestFinished(() => server.close());
  const workers = [await startOn("one"), await startOn("two")];
  gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
});

/** Makes a call on each worker. Returns the models that their requests name. */
async function askAll(): Promise<unknown[]> {
  const before = server.to("/inference/v1/generate").length;
  for (const tag of ["one", "two"]) {
    await gateway.post("/grant_capacity");
    const started = await gateway.post("/rl/start_session");
    const { session_api_key: key } = started.json<{ session_api_key: string }>();
    expect(
      (await gateway.post("/v1/chat/completions", { messages: [{ role: "user", content: tag }] }, key)).status,
    ).toBe(200);
  }
  return server
    .to("/inference/v1/generate")
    .slice(before)
    .map(({ json }) => json["model"]);
}

it("loads an adapter that the calls of all workers then use", async () => {
  const body = { version: 7, lora: { name: "policy@7", path: "/adapters/7" } };
  expect((await gateway.post("/rl/weights", body)).json()).toMatchObject({ state: "idle", version: 7 });
  expect(await askAll()).toEqual(["policy@7", "policy@7"]);
  expect(server.requests.filter(({ path }) => path === "/pause")).toEqual([]);
});

it("changes nothing if the adapter cannot be loaded", async () => {
  const body = { version: 7, lora: { name: "policy@7", path: "/missing/7" } };
  expect((await gateway.post("/rl/weights", body)).refusal).toBe("502 weights_failed");
  expect(await askAll()).toEqual(["tiny", "tiny"]);
});

it("puts a server to sleep and wakes it once, with new weights", async () => {
  const begun = await gateway.post("/rl/weights", { version: 7, mode: "external", sleep: true });
  expect(begun.json()).toMatchObject({ state: "external" });
  expect(server.asleep).toBe(true);
  const finish = { version: 7, path: "/weights/7", allow_partial: true };
  expect((await gateway.post("/rl/weights/finish", finish)).json()).toMatchObject({ state: "idle", version: 7 });
  const control = ["/sleep", "/wake_up", "/collective_rpc"];
  expect(server.requests.map(({ path }) => path).filter((path) => control.includes(path))).toEqual(control);
  expect(await askAll()).toEqual(["tiny", "tiny"]);
});
