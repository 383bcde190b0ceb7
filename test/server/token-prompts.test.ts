import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type ProxyOptions, type Reply, type StartedSession } from "../helpers/proxy.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";

/** Calls whose prompt is token ids: the client renders its conversation itself. */

let proxy: Proxy;
let session: StartedSession;
const open = async (options: ProxyOptions<ScriptedEngine> = {}) => {
  proxy = await Proxy.start(options);
  session = await proxy.session();
};
beforeEach(() => open());
afterEach(() => proxy.close());

const PROMPT = [258, 259, 260, 261];

interface Choice {
  readonly index: number;
  readonly interaction_id: string;
  readonly token_ids?: number[];
  readonly prompt_token_ids?: number[];
  readonly text?: string;
  readonly finish_reason: string;
  readonly weight_version?: number;
}
interface Generated {
  readonly request_id: string;
  readonly choices: readonly [
    Choice & { readonly logprobs: { content: { token: string; token_id: number; logprob: number }[] } | null },
    ...Choice[],
  ];
  readonly usage: object;
}
interface Completed {
  readonly id: string;
  readonly choices: readonly [
    Choice & { readonly logprobs: { tokens: string[]; token_logprobs: number[] } | null },
    ...Choice[],
  ];
}

const GENERATE = "/inference/v1/generate";
const send = (token_ids: readonly number[], params: object = {}, more: object = {}): Promise<Reply> =>
  proxy.post(GENERATE, { model: "tiny", token_ids, sampling_params: params, ...more }, session.key);
const generate = async (token_ids: readonly number[], params: object = {}) =>
  (await send(token_ids, params)).json<Generated>();
const complete = (body: object): Promise<Reply> => proxy.post("/v1/completions", body, session.key);
/** Samples these ids for the prompt. Returns the whole sequence. */
async function extend(prompt: readonly number[], ids: readonly number[]): Promise<number[]> {
  proxy.engine.replies.push({ ids });
  await generate(prompt);
  return [...prompt, ...ids];
}

async function exported(extra: object = {}) {
  await proxy.end(session);
  const { interactions } = (await proxy.export(session, extra)).json<WireExport>();
  return Object.values(interactions);
}

/** Returns id, parent and sequence of each interaction. */
async function tree() {
  const all = await exported();
  const place = (id: string | null) => all.findIndex(({ interaction_id: each }) => each === id);
  return all.map((each) => ({
    parent: place(each.parent_id),
    exact: each.token_exact,
    ids: numbers(each, "input_ids"),
  }));
}

describe("POST /inference/v1/generate", () => {
  it("samples after the given ids and records them exactly", async () => {
    await proxy.post("/rl/set_version", { version: 4 });
    const params = { temperature: 1.0, max_tokens: 8, stop_token_ids: [511], logprobs: 1, skip_special_tokens: false };
    const body = await generate(PROMPT, params);
    expect(body).toMatchObject({
      choices: [
        { index: 0, token_ids: [300, 301, 302], finish_reason: "stop", routed_experts: null, weight_version: 4 },
      ],
      usage: { prompt_tokens: 4, completion_tokens: 3 },
    });
    const entries = body.choices[0].logprobs?.content.map(({ token, token_id: id, logprob }) => [token, id, logprob]);
    expect(entries).toEqual([300, 301, 302].map((id, i) => [`token_id:${id}`, id, -(i + 1) / 8]));
    expect([...(proxy.engine.calls[0]?.prompt.tokens() ?? [])]).toEqual(PROMPT);
    expect(proxy.engine.calls[0]?.sampling).toMatchObject({ maxTokens: 8, temperature: 1 });
    await proxy.reward(session, 1, body.request_id);
    const [only] = await exported();
    expect(only).toMatchObject({ interaction_id: body.request_id, api: "generate", own_reward: 1, parent_id: null });
    expect(only && numbers(only, "input_ids")).toEqual([...PROMPT, 300, 301, 302]);
    expect(only && numbers(only, "loss_mask")).toEqual([0, 0, 0, 0, 1, 1, 1]);
    expect(only && numbers(only, "logprobs").slice(4)).toEqual([-0.125, -0.25, -0.375]);
  });

  it("continues the interaction whose whole sequence is the longest prefix of the ids", async () => {
    const first = await extend(PROMPT, [300, 301]);
    const second = await extend([...first, 270], [302]);
    await extend([...first, 271], [303]);
    await extend([...second, 272, 273], [304]);
    await extend([...PROMPT, 300, 299], [305]);
    expect(await tree()).toEqual([
      { parent: -1, exact: false, ids: first },
      { parent: 0, exact: true, ids: second },
      { parent: 0, exact: true, ids: [...first, 271, 303] },
      { parent: 1, exact: true, ids: [...second, 272, 273, 304] },
      { parent: -1, exact: false, ids: [...PROMPT, 300, 299, 305] },
    ]);
  });

  it("continues a sequence without new tokens, and the newest of equal sequences", async () => {
    const first = await extend(PROMPT, [300]);
    await extend(PROMPT, [300]);
    await extend(first, [301]);
    expect((await tree()).map(({ parent }) => parent)).toEqual([-1, -1, 1]);
  });

  it("continues a chat call, and leaves later chat calls to their messages", async () => {
    const chat = async (messages: object[]) =>
      (await proxy.turn(session, messages, { return_token_ids: true })).messages;
    const messages = await chat([{ role: "user", content: "hello" }]);
    const prompt = [...(proxy.engine.calls[0]?.prompt.tokens() ?? [])];
    await extend([...prompt, 300, 301, 302, 270], [303]);
    await chat([...messages, { role: "user", content: "more" }]);
    await extend([...prompt, 300, 301, 302, 270, 303, 271], [304]);
    expect((await tree()).map(({ parent }) => parent)).toEqual([-1, 0, 0, 1]);
  });

  it("is never found by the messages of a chat call, even if their text is the same", async () => {
    const decode = (ids: readonly number[]) =>
      proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: false });
    await extend(PROMPT, [300, 301]);
    await proxy.turn(session, [
      { role: "user", content: decode(PROMPT) },
      { role: "assistant", content: decode([300, 301]) },
      { role: "user", content: "more" },
    ]);
    expect((await tree()).map(({ parent }) => parent)).toEqual([-1, -1]);
  });

  it("records the text of the ids as messages", async () => {
    const first = await extend(PROMPT, [300, 301]);
    await extend([...first, ...proxy.context.model.stopTokenIds.slice(0, 1), 270], [302]);
    const decode = (ids: readonly number[]) =>
      proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: false });
    const [, second] = await exported({ include: ["messages"] });
    const end = proxy.context.model.stopTokenIds[0] ?? 0;
    expect(second?.messages).toEqual([
      { role: "user", content: decode(PROMPT) },
      { role: "assistant", content: decode([300, 301]) },
      { role: "user", content: decode([end, 270]) },
    ]);
    expect(second?.output_message_list).toEqual([{ role: "assistant", content: decode([302]) }]);
  });

  it("continues sequences that were recorded before a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-token-prompts-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    await proxy.close();
    await open({ storage: { directory } });
    const first = await extend(PROMPT, [300]);
    const second = await extend([...first, 270], [301]);
    await proxy.close();
    proxy = await Proxy.start({ storage: { directory } });
    await extend([...second, 271], [302]);
    expect(await tree()).toEqual([
      { parent: -1, exact: false, ids: first },
      { parent: 0, exact: true, ids: second },
      { parent: 1, exact: true, ids: [...second, 271, 302] },
    ]);
  });

  it("answers several times, and records each answer", async () => {
    for (const ids of [[300], [301, 302]]) proxy.engine.replies.push({ ids });
    const { choices } = await generate(PROMPT, { n: 2 });
    expect(choices.map(({ token_ids: ids }) => ids)).toEqual([[300], [301, 302]]);
    await extend([...PROMPT, 301, 302, 270], [303]);
    expect((await tree()).map(({ parent }) => parent)).toEqual([-1, -1, 1]);
  });

  it("returns reasoning and calls as ids and text only, whatever the model's families are", async () => {
    await proxy.close();
    await open({ model: { toolCallParser: "hermes", reasoningParser: "qwen3" } });
    const { choices } = await generate(PROMPT);
    expect(choices[0]).toMatchObject({ token_ids: [300, 301, 302], finish_reason: "stop" });
    const [only] = await exported({ include: ["messages"] });
    expect(Object.keys(only?.output_message_list?.[0] ?? {})).toEqual(["role", "content"]);
  });

  it.each([
    [{ token_ids: [] }, "token_ids", "token_ids: must have at least one token id"],
    [
      { token_ids: [1, "2"] },
      "token_ids",
      "token_ids: must contain only integers from 0 to 2147483647; item 1 is not one",
    ],
    [
      { token_ids: [1, -2] },
      "token_ids",
      "token_ids: must contain only integers from 0 to 2147483647; item 1 is not one",
    ],
    [
      { token_ids: [1, 2.5] },
      "token_ids",
      "token_ids: must contain only integers from 0 to 2147483647; item 1 is not one",
    ],
    [{ token_ids: [99_999] }, "token_ids", "token_ids must have token ids below 512; received 99999."],
    [{ token_ids: PROMPT, stream: true }, "stream", "stream: true is not supported"],
    [{ token_ids: PROMPT, features: { a: 1 } }, "features", "features is not supported"],
    [{ token_ids: PROMPT, zzz: 1 }, "zzz", "Unrecognized request argument: `zzz`."],
    [
      { token_ids: PROMPT, sampling_params: { max_token: 1 } },
      "sampling_params.max_token",
      "Unrecognized request argument: `sampling_params.max_token`. Did you mean `sampling_params.max_tokens`?",
    ],
  ])("refuses %j", async (body, param, message) => {
    const { status, error } = await proxy.post(GENERATE, body, session.key);
    expect([status, error.param, error.message]).toEqual([400, param, message]);
    expect(proxy.engine.calls).toHaveLength(0);
  });

  it("refuses a prompt that fills the context", async () => {
    const { refusal, error } = await send(Array.from({ length: proxy.engine.context }, () => 1));
    expect(refusal).toBe("400 context_length_exceeded");
    expect(error.message).toContain("maximum context length is 16384 tokens");
    expect((await send(Array.from({ length: proxy.engine.context - 1 }, () => 1))).status).toBe(200);
  });

  it("accepts null parameters, and names ignored fields", async () => {
    const params = { stop: null, seed: null, top_k: -1, min_p: 0, skip_special_tokens: false, detokenize: false };
    const reply = await send(PROMPT, params, { priority: 1, cache_salt: "a", features: null });
    expect([reply.status, reply.headers["x-rolltape-ignored-fields"]]).toEqual([200, "cache_salt, priority"]);
  });

  it("refuses models of upstreams", async () => {
    await proxy.close();
    await open({ settings: { upstreams: [{ models: ["judge"], refuse: true }] as never } });
    const refusals = [
      await proxy.post(GENERATE, { model: "judge", token_ids: PROMPT }, session.key),
      await complete({ model: "judge", prompt: PROMPT }),
    ].map(({ refusal }) => refusal);
    expect(refusals).toEqual(["404 model_refused", "404 model_refused"]);
  });
});

describe("POST /v1/completions", () => {
  /** As the worker of TRL's AsyncGRPO sends it. */
  const TRL = {
    model: "tiny",
    prompt: PROMPT,
    max_tokens: 8,
    temperature: 1,
    top_p: 1,
    top_k: 0,
    repetition_penalty: 1,
    n: 1,
    return_token_ids: true,
    logprobs: 0,
    seed: 3,
  };

  it.each([[PROMPT], [[PROMPT]]])("samples after ids: %j", async (prompt) => {
    const body = (await complete({ ...TRL, prompt })).json<Completed>();
    const [choice] = body.choices;
    const text = proxy.context.model.decode(Int32Array.of(300, 301, 302), { skipSpecialTokens: true });
    expect(choice).toMatchObject({ text, token_ids: [300, 301, 302], prompt_token_ids: PROMPT, finish_reason: "stop" });
    expect(choice.logprobs?.token_logprobs).toEqual([-0.125, -0.25, -0.375]);
    expect(choice.logprobs?.tokens.join("")).toBe(text);
    expect(proxy.engine.calls[0]?.sampling).toMatchObject({ maxTokens: 8, seed: 3 });
    const [only] = await exported();
    expect(only).toMatchObject({ interaction_id: body.id, api: "completions" });
    expect(only && numbers(only, "input_ids")).toEqual([...PROMPT, 300, 301, 302]);
  });

  it("has no ids and log probabilities unless asked, and at most 16 tokens", async () => {
    const body = (await complete({ prompt: PROMPT })).json<Completed>();
    expect(body.choices[0]).toEqual({
      index: 0,
      interaction_id: body.id,
      text: expect.any(String) as string,
      finish_reason: "stop",
      logprobs: null,
    });
    expect(proxy.engine.calls[0]?.sampling.maxTokens).toBe(16);
  });

  it("ends the text before a stop string, and names tokens by their ids if asked", async () => {
    const text = proxy.context.model.decode(Int32Array.of(301), { skipSpecialTokens: true });
    const body = (await complete({ ...TRL, stop: text, return_tokens_as_token_ids: true })).json<Completed>();
    const before = proxy.context.model.decode(Int32Array.of(300), { skipSpecialTokens: true });
    expect(body.choices[0]).toMatchObject({ text: before, token_ids: [300, 301, 302] });
    expect(body.choices[0].logprobs?.tokens).toEqual(["token_id:300", "token_id:301", "token_id:302"]);
  });

  it.each([
    [{ prompt: "hello" }, "prompt"],
    [{ prompt: [[1], [2]] }, "prompt"],
    [{ prompt: PROMPT, echo: true }, "echo"],
    [{ prompt: PROMPT, logprobs: 5 }, "logprobs"],
    [{ prompt: PROMPT, stream: true }, "stream"],
    [{ prompt: [5000] }, "prompt"],
  ])("refuses %j", async (body, param) => {
    const { status, error } = await complete(body);
    expect([status, error.param]).toEqual([400, param]);
    expect(error.message).toContain(param);
  });

  it("continues calls of /inference/v1/generate", async () => {
    const first = await extend(PROMPT, [300, 301]);
    await complete({ ...TRL, prompt: [...first, 270] });
    expect((await tree()).map(({ parent, exact }) => [parent, exact])).toEqual([
      [-1, false],
      [0, true],
    ]);
  });
});

describe("a retry of a call with token ids", () => {
  /** Two lists of ids with the same text. */
  function findSpellings(): [number[], number[]] {
    const { model } = proxy.context;
    const text = (id: number) => Buffer.from(model.tokenBytes(id)).toString("latin1");
    const byText = new Map(Array.from({ length: 500 }, (_, id) => [text(id), id]));
    for (const [whole, id] of byText) {
      const [a, b] = [byText.get(whole.slice(0, 1)), byText.get(whole.slice(1))];
      if (whole.length > 1 && a !== undefined && b !== undefined) return [[id], [a, b]];
    }
    throw new Error("no token is made of two others");
  }

  it.each([
    ["the same ids", 0, 1],
    ["other ids of the same text", 1, undefined],
  ])("is recognized by its ids: %s", async (_, second, repeatedBy) => {
    const prompts = findSpellings();
    const call = (token_ids: number[] = [], headers = {}) =>
      proxy.request({ method: "POST", url: GENERATE, payload: { token_ids }, headers }, session.key);
    await call(prompts[0], { "idempotency-key": "k" });
    await call(prompts[second], { "idempotency-key": "k", "x-stainless-retry-count": "1" });
    const { attempts } = proxy.context.registry.get(session.id).delivery;
    expect(attempts.repeatedBy(0)).toBe(repeatedBy);
  });
});

describe("a seed of 63 bits, as TRL's worker sends it", () => {
  it("reaches the engine as an exact integer, and keeps seeds apart", async () => {
    const seeds = [2 ** 62, 2 ** 62 + 2 ** 11, -(2 ** 62), 5];
    for (const seed of seeds) expect((await complete({ prompt: PROMPT, seed })).status).toBe(200);
    expect(proxy.engine.calls.map(({ sampling }) => sampling.seed)).toEqual([2 ** 51, 2 ** 51 + 1, -(2 ** 51), 5]);
  });

  it.each([2 ** 80, 0.5])("refuses %d", async (seed) => {
    expect((await complete({ prompt: PROMPT, seed })).status).toBe(400);
  });
});
