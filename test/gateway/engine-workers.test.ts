import { describe, expect, it, onTestFinished } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { startScripted } from "./scripted-worker.js";
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

describe("GET /rl/engine of a gateway", () => {
  const usage = {
    url: "http://10.0.0.1:30000",
    state: "up",
    healthy: true,
    requests: 1,
    waiting: 2,
    max_inflight: 3,
    logprobs: "raw",
    completed: 4,
    failed: 5,
    aborted: 6,
    failovers: 7,
    last_failure: null,
  };

  async function merged(...engines: readonly object[]): Promise<unknown> {
    const workers = engines.map((engine, index) =>
      startScripted(`w${index}`, {
        "/rl/engine": () => ({
          body: { type: "sglang", paused: null, version_labels: {}, servers: [usage], ...engine },
        }),
      }),
    );
    const gateway = await Gateway.start({ urls: (await Promise.all(workers)).map(({ url }) => url) });
    return (await gateway.get("/rl/engine")).json();
  }

  it("has each server once, with the sums of what all workers count and the newest failure", async () => {
    const failure = (at: number) => ({ message: `at ${at}`, at });
    const servers = [1, 3, 2].map((at) => ({ ...usage, last_failure: failure(at) }));
    const sums = { requests: 3, waiting: 6, max_inflight: 9, completed: 12, failed: 15, aborted: 18, failovers: 21 };
    expect(await merged(...servers.map((server) => ({ servers: [server], paused: "keep" })))).toMatchObject({
      type: "sglang",
      paused: "keep",
      servers: [{ url: usage.url, logprobs: "raw", last_failure: failure(3), ...sums }],
    });
  });

  it("says that workers differ in type, pause and log probabilities", async () => {
    const other = { type: "vllm", paused: "abort", servers: [{ ...usage, state: "down", logprobs: "temperature" }] };
    expect(await merged({ paused: "keep" }, other)).toMatchObject({
      type: "mixed",
      paused: null,
      servers: [{ state: "up", logprobs: "unknown" }],
    });
  });
});
