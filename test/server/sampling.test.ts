import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import type { Engine } from "../../src/engine/engine.js";
import { createEmbeddedEngine, createVllmEngine } from "../../src/engine/index.js";
import { DEFAULT_SAMPLING, type RecordedSampling } from "../../src/facts/recorded-sampling.js";
import { toSamplingOverride } from "../../src/facts/sampling-override.js";
import { warnOfLogprobs } from "../../src/server/call/record.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Sampling parameters of a call: recorded as sent to the engine, and fixed by the configuration. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const messages = [{ role: "user", content: "x" }];
const PROTOCOLS = [
  ["/v1/chat/completions", { messages }],
  ["/v1/responses", { input: "x" }],
  ["/v1/messages", { messages, max_tokens: 50 }],
] as const;

const readInteraction = (proxy: Pick<Proxy, "context">, { id }: StartedSession, index = 0) =>
  proxy.context.registry.get(id).interaction(index);

describe("a recorded call", () => {
  let proxy: Proxy<GrammarEngine>;
  let session: StartedSession;
  beforeEach(async () => {
    proxy = await Proxy.start({ engine: new GrammarEngine() });
    open.push(proxy);
    session = await proxy.session();
  });

  it("has the sampling parameters that were sent to the engine", async () => {
    await proxy.chat(session, messages, {
      temperature: 0.7,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.05,
      seed: 11,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      max_tokens: 100,
      response_format: { type: "json_object" },
    });
    expect(readInteraction(proxy, session).sampling).toEqual({
      ...DEFAULT_SAMPLING,
      temperature: 0.7,
      samplingTemperature: 0.7,
      topP: 0.9,
      topK: 40,
      minP: 0.05,
      seed: 11,
      frequencyPenalty: 0.5,
      presencePenalty: -0.5,
      maxTokens: 100,
      grammar: true,
    });
  });

  it.each(PROTOCOLS)("of %s has default sampling if the request sets none", async (url, body) => {
    await proxy.post(url, body, session.key);
    const plain = { temperature: 1, greedy: false, topP: 1, topK: 0, minP: 0, seed: undefined, grammar: false };
    expect(readInteraction(proxy, session).sampling).toMatchObject(plain);
  });

  it("with greedy sampling has temperature 1, which reproduces its log probabilities", async () => {
    await proxy.chat(session, messages, { temperature: 0 });
    const greedy = { temperature: 1, samplingTemperature: 0, greedy: true };
    expect(readInteraction(proxy, session).sampling).toMatchObject(greedy);
  });

  it("with raw log probabilities has temperature 1 and their content", async () => {
    proxy.engine.logprobs = "raw";
    await proxy.chat(session, messages, { temperature: 0.7 });
    const raw = { temperature: 1, samplingTemperature: 0.7, logprobs: "raw" };
    expect(readInteraction(proxy, session).sampling).toMatchObject(raw);
  });

  it.each(PROTOCOLS)("of %s has the requested model, the attempt and its start time", async (url, body) => {
    const before = Date.now();
    const payload = { ...body, model: `gpt-${"5".repeat(400)}` };
    const headers = { "x-stainless-retry-count": "2" };
    await proxy.request({ method: "POST", url, payload, headers }, session.key);
    const { requestedModel, attempt, startedAt = 0, createdAt } = readInteraction(proxy, session);
    expect([requestedModel, attempt]).toEqual([`gpt-${"5".repeat(252)}`, 2]);
    expect([before <= startedAt, startedAt <= createdAt]).toEqual([true, true]);
  });

  it("has no requested model if the request names none", async () => {
    await proxy.post("/v1/responses", { input: "x" }, session.key);
    expect(readInteraction(proxy, session).requestedModel).toBeUndefined();
  });
});

describe("a temperature too small to divide by", () => {
  it("is recorded as greedy if the engine samples greedily", async () => {
    const engine = await createEmbeddedEngine();
    const proxy = await Proxy.start({ engine });
    open.push(engine, proxy);
    const session = await proxy.session();
    await proxy.chat(session, messages, { temperature: 1e-7, max_tokens: 2 });
    const greedy = { temperature: 1, samplingTemperature: 0, greedy: true, logprobs: "temperature" };
    expect(readInteraction(proxy, session).sampling).toMatchObject(greedy);
  });
});

describe("vLLM servers", () => {
  it.each([
    ["raw_logprobs", "raw", 1],
    ["processed_logprobs", "truncated", 0.7],
  ] as const)("in mode %s: calls say %s, /rl/engine and /metrics too", async (logprobsMode, logprobs, temperature) => {
    const complete = () => [300, 301];
    const server = await startVllmServer({ logprobsMode, complete });
    const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
    const proxy = await Proxy.start({ engine });
    open.push(server, engine, proxy);
    const session = await proxy.session();
    await proxy.chat(session, messages, { temperature: 0.7 });
    expect(readInteraction(proxy, session).sampling).toMatchObject({ logprobs, temperature, samplingTemperature: 0.7 });
    const listed = (await proxy.request({ url: "/rl/engine" })).json<{ servers: { logprobs: string }[] }>();
    expect(listed.servers[0]?.logprobs).toBe(logprobs);
    const metrics = (await proxy.request({ url: "/metrics" }, null)).raw.toString();
    expect(metrics).toContain(`rolltape_engine_server_logprobs{server="${server.url}",content="${logprobs}"} 1`);
  });
});

describe("the log", () => {
  it("warns once about an engine with raw log probabilities", () => {
    const warnings: unknown[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
    const [rawEngine, otherEngine] = [new GrammarEngine(), new GrammarEngine()];
    warnOfLogprobs(otherEngine, { ...DEFAULT_SAMPLING, logprobs: "truncated" }, log);
    for (let n = 0; n < 3; n++) warnOfLogprobs(rawEngine, { ...DEFAULT_SAMPLING, logprobs: "raw" }, log);
    expect(warnings).toEqual([expect.objectContaining({ engine: "scripted" })]);
  });

  it("logs once that truncated log probabilities need sampling masks, unless the call cuts nothing off", () => {
    const warnings: unknown[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
    const truncated = { ...DEFAULT_SAMPLING, logprobs: "truncated", topP: 0.9 } as const;
    const warn = (engine: Engine, sampling: RecordedSampling) => warnOfLogprobs(engine, sampling, log);
    warn(Object.assign(new GrammarEngine(), { recordsMasks: true }), truncated);
    const engine = new GrammarEngine();
    warn(engine, { ...truncated, topP: 1 });
    warn(engine, { ...truncated, logprobs: "temperature" });
    warn(engine, { ...truncated, samplingTemperature: 0 });
    expect(warnings).toEqual([]);
    for (let n = 0; n < 3; n++) warn(engine, truncated);
    expect(warnings).toEqual([
      expect.objectContaining({ engine: "scripted", msg: expect.stringContaining("engine.sampling_masks=true") }),
    ]);
  });
});

describe("sampling_override", () => {
  const HEADER = "x-rolltape-sampling-override";
  const samplingOverride = { temperature: 1, topP: 1, topK: 0, maxTokens: 7 };

  async function start() {
    const proxy = await Proxy.start({ settings: { samplingOverride } });
    open.push(proxy);
    return { proxy, session: await proxy.session() };
  }

  describe.each(PROTOCOLS)("%s", (url, body) => {
    it.each([false, true])("replaces values and lists them in a header, streamed: %s", async (stream) => {
      const { proxy, session } = await start();
      const reply: Reply = await proxy.post(
        url,
        { ...body, temperature: 0.3, top_p: 0.5, min_p: 0.1, stream },
        session.key,
      );
      expect([reply.status, reply.headers[HEADER]]).toEqual([200, "temperature, top_p, max_tokens"]);
      const used = { temperature: 1, topP: 1, topK: 0, minP: 0.1, maxTokens: 7 };
      expect(proxy.engine.calls[0]?.sampling).toMatchObject(used);
      expect(readInteraction(proxy, session).sampling).toMatchObject({ ...used, overridden: true });
    });
  });

  it("is read from the configuration; null leaves a value to the request", () => {
    const given = { temperature: 0, top_k: -1, seed: 5, max_tokens: 9 };
    const { rollout } = parseConfig({ rollout: { agent: { sampling_override: given } } });
    const expected = { temperature: 0, topK: 0, seed: 5, maxTokens: 9 };
    expect(toSamplingOverride(rollout.agent.sampling_override)).toEqual(expected);
    expect(toSamplingOverride(parseConfig({}).rollout.agent.sampling_override)).toBeUndefined();
  });

  it("sends no header if the request has the same values", async () => {
    const { proxy, session } = await start();
    const reply = await proxy.chat(session, messages, { temperature: 1, top_k: -1, max_tokens: 7 });
    expect(reply.headers[HEADER]).toBeUndefined();
    expect(readInteraction(proxy, session).sampling?.overridden).toBe(false);
  });

  it("is limited by the context, like max_tokens of a request", async () => {
    const proxy = await Proxy.start({ settings: { samplingOverride: { maxTokens: 100_000 } } });
    open.push(proxy);
    proxy.engine.context = 64;
    const session = await proxy.session();
    const reply = await proxy.chat(session, messages);
    const { sampling, prompt } = proxy.engine.calls[0] ?? {};
    expect(sampling?.maxTokens).toBe(64 - (prompt?.length ?? 0));
    expect(reply.headers[HEADER]).toBeUndefined();
  });
});
