import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InProcessClient } from "../../src/client/in-process-client.js";
import { inProcessProxy } from "../../src/client/in-process-proxy.js";
import { parseConfig } from "../../src/config/index.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { until } from "../helpers/until.js";

const HELLO = { model: "tiny", messages: [{ role: "user" as const, content: "hello" }] };

let proxy: Proxy;
beforeEach(async () => {
  proxy = await Proxy.start();
});
afterEach(() => proxy.close());

const open = () => InProcessClient.open({ app: proxy.app, adminKey: ADMIN_KEY });

async function twoTurns(client: InProcessClient): Promise<[string, string]> {
  const first = await client.chat.completions.create(HELLO);
  const answer = { role: "assistant" as const, content: first.choices[0]?.message.content ?? "" };
  const messages = [...HELLO.messages, answer, { role: "user" as const, content: "go on" }];
  const second = await client.chat.completions.create({ ...HELLO, messages });
  return [first.id, second.id];
}

describe("InProcessClient of a given proxy", () => {
  it("records calls without a socket, and exports own rewards if no discount is set", async () => {
    const client = await open();
    const [first, second] = await twoTurns(client);
    await client.setReward(first, 0.5);
    await client.setLastReward(1);
    const interactions = await client.exportInteractions("individual");
    expect([...interactions].map(([id, { reward }]) => [id, reward])).toEqual([
      [first, 0.5],
      [second, 1],
    ]);
    expect(proxy.app.server.listening).toBe(false);
  });

  it("computes each export's rewards from the own rewards and the latest discount", async () => {
    const client = await open();
    await twoTurns(client);
    await client.setLastReward(1);
    const rewards = async () => [...(await client.exportInteractions()).values()].map(({ reward }) => reward);
    client.applyRewardDiscount(0.25);
    expect(await rewards()).toEqual([0.25, 1]);
    client.applyRewardDiscount(0.5);
    expect(await rewards()).toEqual([0.5, 1]);
    expect(() => client.applyRewardDiscount(1.5)).toThrow("from 0 to 1");
  });

  it("accepts discounts from 0 to 1, and has the address of an API", async () => {
    const client = await open();
    for (const discount of [0, 1]) client.applyRewardDiscount(discount);
    for (const discount of [-0.001, 1.001, Number.NaN])
      expect(() => client.applyRewardDiscount(discount)).toThrow(RangeError);
    expect(client.baseURL).toMatch(/^http:.*\/v1$/);
  });

  it("adds the session's reward to the rewards of its calls", async () => {
    const client = await open();
    await twoTurns(client);
    await client.setLastReward(1);
    await client.setSessionReward(0.5);
    client.applyRewardDiscount(0.5);
    const interactions = await client.exportInteractions();
    expect(interactions.sessionReward).toBe(0.5);
    expect([...interactions.values()].map(({ reward }) => reward)).toEqual([0.75, 1.5]);
  });

  it("exports only leaves, with the outputs of their ancestors, in style concat", async () => {
    await proxy.close();
    proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
    const client = await open();
    const [, second] = await twoTurns(client);
    client.applyRewardDiscount();
    const interactions = await client.exportInteractions("concat");
    expect([...interactions.keys()]).toEqual([second]);
    const mask = interactions.get(second)?.toTensorDict().loss_mask.data ?? [];
    expect([...mask].reduce((sum, value) => sum + value, 0)).toBe(6);
  });

  it("serves OpenAI's responses API and streamed completions", async () => {
    const client = await open();
    const response = await client.responses.create({ model: "tiny", input: "hello" });
    const stream = await client.chat.completions.create({ ...HELLO, stream: true });
    let streamed = "";
    for await (const { id } of stream) streamed = id;
    await client.setReward(response.id, 2);
    await client.setReward(streamed, 3);
    const interactions = await client.exportInteractions();
    expect([...interactions.values()].map(({ api, reward }) => [api, reward])).toEqual([
      ["responses", 2],
      ["chat.completions", 3],
    ]);
  });

  it("keeps its session in copies with other options, and throws the errors of OpenAI's SDK", async () => {
    const client = await open();
    const copy = client.withOptions({ timeout: 5000 });
    await copy.chat.completions.create(HELLO);
    expect(copy.session).toBe(client.session);
    await expect(copy.chat.completions.create({ ...HELLO, messages: [] })).rejects.toMatchObject({ status: 400 });
    expect(await client.session.end()).toBe(1);
  });

  it("aborts the engine's work if a call is aborted", async () => {
    const client = await open();
    proxy.engine.hold();
    const controller = new AbortController();
    const call = client.chat.completions.create(HELLO, { signal: controller.signal });
    await until(() => proxy.engine.calls.length === 1);
    controller.abort();
    await expect(call).rejects.toThrow("aborted");
    await until(() => proxy.engine.aborted.length === 1);
  });
});

describe("InProcessClient of an engine and a tokenizer", () => {
  const load = async () => loadChatModel((await ensureTinyModel()).folder);

  it("creates its own proxy to record, reward and export calls", async () => {
    const [engine, tokenizer] = [new ScriptedEngine(), await load()];
    const client = await InProcessClient.open({ engine, tokenizer, taskId: "math" });
    const [first, second] = await twoTurns(client);
    await client.setLastReward(1);
    client.applyRewardDiscount(0.5);
    const interactions = await client.exportInteractions();
    expect([...interactions].map(([id, { reward }]) => [id, reward])).toEqual([
      [first, 0.5],
      [second, 1],
    ]);
    expect(client.session.sessionId).toMatch(/^math-/);
    expect(engine.calls).toHaveLength(2);
    await tokenizer.close();
  });

  it("uses one proxy for all clients of an engine, and one session per client", async () => {
    const [engine, tokenizer] = [new ScriptedEngine(), await load()];
    const clients = await Promise.all([1, 2].map(() => InProcessClient.open({ engine, tokenizer })));
    for (const client of clients) await client.chat.completions.create(HELLO);
    const [one, two] = await Promise.all(clients.map((client) => client.exportInteractions()));
    expect([one?.size, two?.size]).toEqual([1, 1]);
    expect(new Set(clients.map(({ session }) => session.sessionId.split("-").at(-2))).size).toBe(1);
    await tokenizer.close();
  });

  it("applies a configuration as a server does", async () => {
    const [engine, tokenizer] = [new ScriptedEngine(), await load()];
    const config = parseConfig({ rollout: { agent: { chat_template_type: "concat" } } });
    const client = await InProcessClient.open({ engine, tokenizer, config });
    const [, second] = await twoTurns(client);
    expect([...(await client.exportInteractions("concat")).keys()]).toEqual([second]);
    // An equal configuration has the same proxy, another one has its own.
    const equal = await inProcessProxy({
      engine,
      tokenizer,
      config: parseConfig({ rollout: { agent: { chat_template_type: "concat" } } }),
    });
    expect(equal).toBe(await inProcessProxy({ engine, tokenizer, config }));
    expect(await inProcessProxy({ engine, tokenizer, config: parseConfig({}) })).not.toBe(equal);
    expect(await inProcessProxy({ engine: new ScriptedEngine(), tokenizer, config })).not.toBe(equal);
    await tokenizer.close();
  });
});

describe("the proxy of an engine and a tokenizer", () => {
  it("cannot store sessions, because it is never closed", async () => {
    const tokenizer = await loadChatModel((await ensureTinyModel()).folder);
    const config = parseConfig({ storage: { directory: "/tmp/never-written" } });
    await expect(InProcessClient.open({ engine: new ScriptedEngine(), tokenizer, config })).rejects.toMatchObject({
      code: "invalid_value",
      param: "storage.directory",
    });
    await tokenizer.close();
  });
});

describe("an interaction exported by InProcessClient", () => {
  it("has its messages, the agent's completion, the engine's tokens and its parent", async () => {
    const client = await open();
    const answered = await client.chat.completions.create(HELLO);
    const answer = { role: "assistant" as const, content: answered.choices[0]?.message.content ?? "" };
    const messages = [...HELLO.messages, answer, { role: "user" as const, content: "go on" }];
    const next = await client.chat.completions.create({ ...HELLO, messages });
    const interactions = await client.exportInteractions();
    const [first, second] = [interactions.get(answered.id), interactions.get(next.id)];
    expect(second?.parent).toBe(first);
    expect(first?.parent).toBeUndefined();
    expect(second?.messages).toEqual(messages);
    expect(first?.outputMessages).toEqual([answer]);
    const { prompt_tokens, completion_tokens, total_tokens } = answered.usage ?? {};
    expect(first?.completion).toEqual({ ...answered, usage: { prompt_tokens, completion_tokens, total_tokens } });
    const prompt = proxy.engine.calls[0]?.prompt.tokens();
    expect(first?.modelResponse).toEqual({
      inputTokens: prompt,
      outputTokens: Int32Array.of(300, 301, 302),
      outputLogprobs: Float32Array.of(-0.125, -0.25, -0.375),
      outputVersions: Int32Array.of(0, 0, 0),
      stopReason: "stop",
    });
  });
});
