import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import { ADMIN_KEY } from "../helpers/proxy.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServer } from "../helpers/vllm/vllm-server.js";

let policy: SglangServer;
let critic: VllmServer;
let opponent: VllmServer;
beforeEach(async () => {
  [policy, critic, opponent] = await Promise.all([startSglangServer(), startVllmServer(), startVllmServer()]);
});
afterEach(async () => void (await Promise.all([policy, critic, opponent].map((server) => server.close()))));

async function serve(critic_name = "critic"): Promise<RunningServer> {
  const { folder: path } = await ensureTinyModel();
  const config = parseConfig({
    server: { port: 0, shutdown_seconds: 0 },
    model: { path, name: "policy" },
    engine: { type: "sglang", urls: [policy.url] },
    engines: [
      { name: critic_name, type: "vllm", urls: [critic.url] },
      { name: "opponent", type: "vllm", urls: [opponent.url], path, frozen: true },
    ],
  });
  const running = await startServer(config, { adminKey: ADMIN_KEY });
  onTestFinished(async () => void (await running.close()));
  return running;
}

async function call(url: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }> {
  const method = body ? "POST" : "GET";
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const reply = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: reply.status, json: (await reply.json()) as Record<string, unknown> };
}

const paths = ({ requests }: { readonly requests: readonly { readonly path: string }[] }) =>
  requests.map((each) => each.path);

it("updates the weights of one model, and leaves the engines of the others alone", async () => {
  const { url } = await serve();
  const target = { version: 3, path: "/weights/critic", allow_partial: true, model: "critic" };
  const { status, json } = await call(`${url}/rl/weights`, target);
  expect([status, json["state"], json["version"]]).toEqual([200, "idle", 3]);
  expect(paths(critic)).toContain("/collective_rpc");
  expect([...paths(policy), ...paths(opponent)].filter((path) => path.includes("pause"))).toEqual([]);
  const { json: ours } = await call(`${url}/rl/weights?model=policy`);
  expect(ours["version"]).toBe(0);
  const { json: theirs } = await call(`${url}/rl/weights?model=critic`);
  expect(theirs["version"]).toBe(3);
});

it("says why the calls of one model wait", async () => {
  const { url } = await serve();
  await call(`${url}/rl/weights`, { version: 3, mode: "external", model: "critic" });
  expect((await call(`${url}/readyz`)).json["message"]).toMatch(/^A weight update to version 3 /);
});

it("pauses every engine that is not frozen, or the named one", async () => {
  const { url } = await serve();
  expect((await call(`${url}/rl/engine/pause`, {})).status).toBe(200);
  const { json } = await call(`${url}/rl/engine`);
  expect(json["models"]).toMatchObject([
    { model: "policy", type: "sglang", paused: "abort" },
    { model: "critic", type: "vllm", paused: "abort" },
    { model: "opponent", type: "vllm", paused: null },
  ]);
  await call(`${url}/rl/engine/resume`, { model: "critic" });
  expect((await call(`${url}/rl/engine`)).json["models"]).toMatchObject([{ paused: "abort" }, { paused: null }, {}]);
});

it("names the model in the metrics of its servers", async () => {
  const { url } = await serve();
  await new HttpTrainer(url, ADMIN_KEY).converse("rain", 1, { max_tokens: 4, model: "opponent" });
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  const completed = (server: string, model: string) =>
    `rolltape_engine_server_requests_total{server="${server}",model="${model}",outcome="completed"}`;
  expect(text).toContain(`${completed(opponent.url, "opponent")} 1`);
  expect(text).toContain(`${completed(policy.url, "policy")} 0`);
});

it("is not ready while the engine of one model does not work", async () => {
  const { url } = await serve();
  expect((await call(`${url}/readyz`)).status).toBe(200);
  await opponent.close();
  await expect
    .poll(() => call(`${url}/readyz`), { timeout: 5000 })
    .toMatchObject({
      status: 503,
      json: { status: "engine_unavailable", message: expect.stringMatching(/^opponent: /) as string },
    });
});

it("refuses the name of the main model", async () => {
  await expect(serve("policy")).rejects.toThrow(
    "engines[0].name: must not be policy, which is the name of the model of",
  );
});
