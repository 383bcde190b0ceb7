import { expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { readSample } from "../helpers/metrics-text.js";
import { user } from "../helpers/turn.js";
import { Gateway, startWorker } from "./workers.js";

/** A gateway starts sessions only on workers whose memory is not full. */

const STORE = { bytes: 100_000, highWater: 0.2 };

interface Started {
  readonly session_id: string;
  readonly session_api_key: string;
}

it("starts sessions on workers with room, and refuses them with 503 and Retry-After while no worker has room", async () => {
  const workers = [
    await startWorker("one", { settings: { store: STORE } }),
    await startWorker("two", { settings: { store: STORE } }),
  ];
  const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
  await gateway.post("/grant_capacity", { slots: 40 });
  const tags: (string | undefined)[] = [];
  const sessions: Started[] = [];
  let refused = await gateway.post("/rl/start_session");
  for (; refused.status === 200; refused = await gateway.post("/rl/start_session")) {
    const session = refused.json<Started>();
    sessions.push(session);
    tags.push(session.session_id.split("-")[1]);
    const call = { messages: [user("word ".repeat(500))] };
    expect((await gateway.post("/v1/chat/completions", call, session.session_api_key)).status).toBe(200);
  }
  expect(new Set(tags)).toEqual(new Set(["one", "two"]));
  expect([refused.refusal, refused.headers["retry-after"]]).toEqual(["503 store_full", "5"]);
  const metrics = (await gateway.send("/metrics")).raw.toString();
  for (const worker of ["one", "two"]) {
    expect(readSample(metrics, `rolltape_refused_total{worker="${worker}",code="store_full"}`)).toBeGreaterThan(0);
  }

  for (const { session_id, session_api_key } of sessions) {
    await gateway.post("/rl/end_session", {}, session_api_key);
    const { interactions } = (await gateway.post("/export_trajectories", { session_id })).json<WireExport>();
    expect(Object.keys(interactions)).toHaveLength(1);
  }
  expect((await gateway.post("/rl/start_session")).status).toBe(200);
});

it("forwards the worker's `session_limit` error to the agent unchanged", async () => {
  const unlimited = Number.POSITIVE_INFINITY;
  const sessionLimits = { tokens: unlimited, calls: 1, bytes: unlimited, concurrentCalls: unlimited };
  const { url } = await startWorker("one", { settings: { sessionLimits } });
  const gateway = await Gateway.start({ urls: [url] });
  await gateway.post("/grant_capacity");
  const { session_api_key: key } = (await gateway.post("/rl/start_session")).json<Started>();
  const call = { messages: [user("hello")] };
  expect((await gateway.post("/v1/chat/completions", call, key)).status).toBe(200);
  const refused = await gateway.post("/v1/chat/completions", call, key);
  expect(refused.refusal).toBe("403 session_limit");
  expect(refused.error).toMatchObject({ limit: "max_session_calls", allowed: 1, used: 1 });
});

it("counts the gateway's own refusals by code", async () => {
  const { url } = await startWorker("one");
  const gateway = await Gateway.start({ urls: [url] });
  expect((await gateway.post("/rl/start_session", { task: "x" })).refusal).toBe("400 unknown_parameter");
  const metrics = (await gateway.send("/metrics")).raw.toString();
  expect(readSample(metrics, 'rolltape_gateway_refused_total{code="unknown_parameter"}')).toBe(1);
});
