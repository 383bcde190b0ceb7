import { expect, it, onTestFinished } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { Gateway, startWorker } from "./workers.js";

/** The engine routes of a gateway name the workers through which they call the engine servers. */

async function startOn(tag: string) {
  const server = await startSglangServer();
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  return startWorker(tag, { engine });
}

const states = (gateway: Gateway) => gateway.pool.all().map(({ tag, state }) => `${tag} ${state}`);

it("leaves workers that answer in state ok", async () => {
  const workers = [await startOn("one"), await startOn("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  expect((await gateway.post("/rl/engine/pause", { mode: "keep" })).status).toBe(200);
  expect(states(gateway)).toEqual(["one ok", "two ok"]);
  expect((await gateway.post("/rl/engine/resume")).status).toBe(200);
  expect(states(gateway)).toEqual(["one ok", "two ok"]);
});

it("marks only a worker that does not answer as down", async () => {
  const workers = [await startOn("one"), await startOn("two")];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  await workers[1]?.kill();
  expect((await gateway.post("/rl/engine/pause", { mode: "keep" })).refusal).toBe("503 worker_unavailable");
  expect(states(gateway)).toEqual(["one ok", "two down"]);
});
