import { expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { OtlpReceiver, type ReceiverMode } from "../helpers/otlp-receiver.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { CLIENT_SPAN_ID, CLIENT_TRACE, CLIENT_TRACE_ID } from "../helpers/traces.js";
import { AGENT, rolloutJob, TIMES } from "./rollout/rollout-job.js";
import { rolltape, runRolltape } from "./rolltape.js";

const KEY = "sk-admin-0123456789abcdef";
const ENV = { ROLLTAPE_ADMIN_API_KEY: KEY };

async function post(url: string, key: string, body: object, headers: Record<string, string> = {}) {
  const reply = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

/** Starts a session and makes calls with it. Returns their status codes. */
async function converse(url: string, calls: number): Promise<number[]> {
  await post(`${url}/grant_capacity`, KEY, { slots: 1 });
  const { body } = await post(`${url}/rl/start_session`, KEY, {});
  // With another seed, the answer of the tiny model may end sooner.
  const payload = { messages: [{ role: "user", content: "private question" }], max_tokens: 4, seed: 1 };
  const statuses: number[] = [];
  for (let i = 0; i < calls; i++) {
    const { status } = await post(`${url}/v1/chat/completions`, body["api_key"] as string, payload, CLIENT_TRACE);
    statuses.push(status);
  }
  return statuses;
}

it("sends the traces of calls, at the latest when the server stops", async () => {
  const receiver = await OtlpReceiver.start();
  const server = rolltape(["serve", "server.port=0", `telemetry.otlp_url=${receiver.url}`], ENV);
  const { url } = await server.ready();
  expect(await converse(url, 1)).toEqual([200]);
  server.process.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
  const call = receiver.spans.find(({ parentId }) => parentId === CLIENT_SPAN_ID);
  expect(call).toMatchObject({
    name: expect.stringMatching(/^chat /) as string,
    traceId: CLIENT_TRACE_ID,
    failed: false,
    attributes: { "gen_ai.usage.output_tokens": 4 },
    resource: { "service.name": "rolltape-proxy" },
  });
  expect(call && receiver.childrenOf(call)).toEqual(["render", "queue", "engine", "parse"]);
  expect(Buffer.concat(receiver.bodies).includes("private")).toBe(false);
});

it("gives its engine step to a SGLang server as the parent", async () => {
  const receiver = await OtlpReceiver.start();
  const engine = await startSglangServer();
  onTestFinished(() => engine.close());
  const { folder } = await ensureTinyModel();
  const args = ["engine.type=sglang", `engine.urls=${engine.url}`, `model.path=${folder}`];
  const server = rolltape(["serve", "server.port=0", `telemetry.otlp_url=${receiver.url}`, ...args], ENV);
  const { url } = await server.ready();
  expect(await converse(url, 1)).toEqual([200]);
  server.process.kill("SIGTERM");
  await server.ended;
  const step = receiver.spans.find(({ name, traceId }) => name === "engine" && traceId === CLIENT_TRACE_ID);
  expect(engine.to("/generate")[0]?.headers).toMatchObject({ traceparent: `00-${CLIENT_TRACE_ID}-${step?.spanId}-01` });
});

it.each(["hang", "refuse"] as const satisfies ReceiverMode[])(
  "answers calls and stops in order if the collector's answer is: %s",
  async (mode) => {
    const receiver = await OtlpReceiver.start(mode);
    const server = rolltape(["serve", "server.port=0", `telemetry.otlp_url=${receiver.url}`], ENV);
    const { url } = await server.ready();
    expect(await converse(url, 3)).toEqual([200, 200, 200]);
    server.process.kill("SIGTERM");
    expect((await server.ended).code).toBe(0);
    expect(receiver.bodies.length).toBeGreaterThan(0);
  },
);

it("answers calls and stops in order if there is no collector", async () => {
  const server = rolltape(["serve", "server.port=0", "telemetry.otlp_url=http://127.0.0.1:9"], ENV);
  const { url } = await server.ready();
  expect(await converse(url, 1)).toEqual([200]);
  server.process.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
});

it("ends with status 2 if the ratio is out of range", async () => {
  const { code, stderr } = await runRolltape(["serve", "telemetry.sample_ratio=2"]);
  expect(code).toBe(2);
  expect(stderr).toContain("telemetry.sample_ratio");
});

it.each([[[]], [["--workers", "1"]], [["--workers", "1", "--proxy-workers", "2"]]])(
  "has a trace per episode of a rollout, with the model calls of its agent: %j",
  TIMES,
  async (extra) => {
    const receiver = await OtlpReceiver.start();
    const { args } = rolloutJob([{ task_id: "a", question: "why?", reward: 1 }]);
    const settings = [`telemetry.otlp_url=${receiver.url}`, "telemetry.sample_ratio=1"];
    expect(await runRolltape([...args, "--agent", AGENT, ...extra, ...settings])).toMatchObject({ code: 0 });
    const episode = receiver.span("invoke_agent");
    expect(episode).toMatchObject({ parentId: "", failed: false, resource: { "service.name": "rolltape-worker" } });
    const calls = receiver.spans.filter(({ name, traceId }) => name.startsWith("chat ") && traceId === episode.traceId);
    expect(calls).toHaveLength(2);
    expect(calls.map(({ resource }) => resource["service.name"])).toEqual(["rolltape-proxy", "rolltape-proxy"]);
  },
);
