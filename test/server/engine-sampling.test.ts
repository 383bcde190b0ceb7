import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { toSamplingOverride } from "../../src/facts/sampling-override.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";

/** repetition_penalty, min_tokens, ignore_eos and logit_bias: forwarded, checked, recorded, and fixed by the configuration. */

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const messages = [{ role: "user", content: "a" }];
const GENERATE = "/v1beta/models/tiny:generateContent";
const PROTOCOLS: [path: string, body: object][] = [
  ["/v1/chat/completions", { messages }],
  ["/v1/responses", { input: "a" }],
  ["/v1/messages", { messages, max_tokens: 50 }],
  [GENERATE, { contents: [{ role: "user", parts: [{ text: "a" }] }] }],
];

const FIELDS = {
  repetition_penalty: 1.5,
  min_tokens: 2,
  ignore_eos: true,
  logit_bias: { "300": 5, "7": -100, "9": 0 },
};

describe.each(PROTOCOLS)("%s", (path, body) => {
  it("forwards and records the parameters", async () => {
    await proxy.post(path, { ...body, ...FIELDS }, session.key);
    expect(proxy.engine.calls.at(-1)?.sampling).toMatchObject({
      repetitionPenalty: 1.5,
      minTokens: 2,
      ignoreEos: true,
      logitBias: [
        [7, -100],
        [300, 5],
      ],
    });
    expect(proxy.context.registry.get(session.id).interaction(0).sampling).toMatchObject({
      repetitionPenalty: 1.5,
      minTokens: 2,
      ignoreEos: true,
      logitBias: true,
    });
  });

  it("has the parameters off by default, in the engine's call and in the record", async () => {
    await proxy.post(path, body, session.key);
    const off = { repetitionPenalty: 1, minTokens: 0, ignoreEos: false };
    expect(proxy.engine.calls.at(-1)?.sampling).toMatchObject({ ...off, logitBias: [], thinkingBudget: undefined });
    const { sampling } = proxy.context.registry.get(session.id).interaction(0);
    expect(sampling).toMatchObject({ ...off, logitBias: false, thinkingBudget: undefined });
  });

  it.each<[string, unknown]>([
    ["repetition_penalty", 0],
    ["repetition_penalty", 2.5],
    ["min_tokens", -1],
    ["min_tokens", 1.5],
    ["ignore_eos", "yes"],
    ["logit_bias", { hello: 1 }],
    ["logit_bias", { "-5": 1 }],
    ["logit_bias", { "07": 1 }],
    ["logit_bias", { "7": 101 }],
    ["logit_bias", { "7": "1" }],
    ["logit_bias", [[7, 1]]],
    ["logit_bias", Object.fromEntries(Array.from({ length: 1025 }, (_, id) => [id, 1]))],
  ])("refuses %s: %j and names the field", async (name, value) => {
    const before = proxy.engine.calls.length;
    const reply = await proxy.post(path, { ...body, [name]: value }, session.key);
    expect(reply.status).toBe(400);
    expect(`${reply.error.param} ${reply.error.message}`).toContain(name);
    expect(proxy.engine.calls).toHaveLength(before);
  });
});

describe("ignore_eos", () => {
  it("leaves only the request's own stop tokens", async () => {
    await proxy.chat(session, messages, { ignore_eos: true, stop_token_ids: [301] });
    expect(proxy.engine.calls.at(-1)?.sampling.stopTokenIds).toEqual([301]);
    await proxy.chat(session, messages, { ignore_eos: true });
    expect(proxy.engine.calls.at(-1)?.sampling.stopTokenIds).toEqual([]);
  });

  it("with stop_token_ids is refused by an engine that would ignore both", async () => {
    class DeafEngine extends ScriptedEngine {
      override readonly supports = { grammar: false, stopsWithoutEos: false };
    }
    const deaf = await Proxy.start({ engine: new DeafEngine() });
    const started = await deaf.session();
    const reply = await deaf.chat(started, messages, { ignore_eos: true, stop_token_ids: [301] });
    expect([reply.refusal, reply.error.param]).toEqual(["400 unsupported_parameter", "ignore_eos"]);
    expect((await deaf.chat(started, messages, { ignore_eos: true })).status).toBe(200);
    await deaf.close();
  });
});

describe("min_tokens", () => {
  it("is refused beyond the limit of output tokens", async () => {
    const reply = await proxy.chat(session, messages, { min_tokens: 9, max_tokens: 8 });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "min_tokens"]);
    expect(reply.error.message).toBe("min_tokens must be at most the limit of output tokens (8); received 9.");
  });

  it("is refused with stop strings, about which engines disagree", async () => {
    const reply = await proxy.chat(session, messages, { min_tokens: 2, stop: "END" });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "min_tokens"]);
  });

  it("is at most what the context has left", async () => {
    await proxy.chat(session, messages, { min_tokens: 1_000_000 });
    const { sampling, prompt } = proxy.engine.calls.at(-1) ?? {};
    expect(sampling?.minTokens).toBe(proxy.engine.context - (prompt?.length ?? 0));
  });
});

describe("the rows of a batch", () => {
  it("tell the parameters", async () => {
    await proxy.chat(session, messages, FIELDS);
    await proxy.chat(session, messages);
    await proxy.end(session);
    const { tensors } = readSafetensors((await proxy.post("/export_batch", { session_ids: [session.id] })).raw);
    const column = (name: string) => tensors[`row_${name}`]?.data;
    expect(column("repetition_penalty")).toEqual([1.5, 1]);
    expect(column("min_tokens")).toEqual([2, 0]);
    expect(column("ignore_eos")).toEqual([1, 0]);
    expect(column("logit_bias")).toEqual([1, 0]);
    expect(column("thinking_budget")).toEqual([-1, -1]);
    expect(column("choice")).toEqual([0, 0]);
    expect(column("choices")).toEqual([1, 1]);
  });
});

describe("rollout.agent.sampling_override", () => {
  it("fixes repetition_penalty, min_tokens and ignore_eos, and says so", async () => {
    const { rollout } = parseConfig({
      rollout: { agent: { sampling_override: { repetition_penalty: 1, min_tokens: 0, ignore_eos: false } } },
    });
    const samplingOverride = toSamplingOverride(rollout.agent.sampling_override);
    const fixed = await Proxy.start({ settings: { samplingOverride } });
    const started = await fixed.session();
    const reply = await fixed.chat(started, messages, { ...FIELDS, logit_bias: {} });
    expect(reply.headers["x-rolltape-sampling-override"]).toBe("repetition_penalty, min_tokens, ignore_eos");
    expect(fixed.engine.calls[0]?.sampling).toMatchObject({ repetitionPenalty: 1, minTokens: 0, ignoreEos: false });
    expect(fixed.engine.calls[0]?.sampling.stopTokenIds).toEqual(fixed.context.model.stopTokenIds);
    expect(fixed.context.registry.get(started.id).interaction(0).sampling?.overridden).toBe(true);
    await fixed.close();
  });
});
