import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { until } from "../helpers/until.js";
import { joinIds } from "../model/support/model-folder.js";

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const user = (content: unknown) => ({ role: "user", content });
const lastCall = () => {
  const call = proxy.engine.calls.at(-1);
  if (!call) throw new Error("the engine was not called");
  return call;
};
const decode = (ids: Int32Array) => proxy.context.model.decode(ids, { skipSpecialTokens: false });
const promptText = () => decode(lastCall().prompt.tokens());

async function exported() {
  await proxy.end(session);
  return Object.values((await proxy.export(session, { include: ["messages"] })).json<WireExport>().interactions);
}

describe("sampling parameters", () => {
  it("are all sent to the engine explicitly", async () => {
    await proxy.chat(session, [user("a")]);
    expect(lastCall().sampling).toEqual({
      temperature: 1,
      topP: 1,
      topK: 0,
      minP: 0,
      frequencyPenalty: 0,
      presencePenalty: 0,
      repetitionPenalty: 1,
      minTokens: 0,
      ignoreEos: false,
      logitBias: [],
      thinkingBudget: undefined,
      maxTokens: 16_384 - lastCall().prompt.length,
      stop: [],
      stopTokenIds: proxy.context.model.stopTokenIds,
      seed: undefined,
      topLogprobs: 0,
    });
    await proxy.chat(session, [user("a")], {
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      min_p: 0.1,
      max_tokens: 7,
      stop: "END",
      stop_token_ids: [5],
      seed: 11,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      logprobs: true,
      top_logprobs: 2,
    });
    expect(lastCall().sampling).toEqual({
      temperature: 0.5,
      topP: 0.9,
      topK: 20,
      minP: 0.1,
      frequencyPenalty: 0.5,
      presencePenalty: -0.5,
      repetitionPenalty: 1,
      minTokens: 0,
      ignoreEos: false,
      logitBias: [],
      thinkingBudget: undefined,
      maxTokens: 7,
      stop: ["END"],
      stopTokenIds: [...proxy.context.model.stopTokenIds, 5],
      seed: 11,
      topLogprobs: 2,
    });
  });

  it("prefer max_completion_tokens to max_tokens, and limit both to the remaining context", async () => {
    await proxy.chat(session, [user("a")], { max_tokens: 5, max_completion_tokens: 6 });
    expect(lastCall().sampling.maxTokens).toBe(6);
    await proxy.chat(session, [user("a")], { max_tokens: 1_000_000 });
    expect(lastCall().sampling.maxTokens).toBe(16_384 - lastCall().prompt.length);
  });

  it("treat null as absent, and ignore parameters that cannot change the result", async () => {
    const reply = await proxy.chat(session, [user("a")], {
      temperature: null,
      tools: null,
      stop: null,
      n: 1,
      stream: false,
      user: "me",
      metadata: { a: "b" },
      store: true,
      response_format: { type: "text" },
    });
    expect(reply.status).toBe(200);
    expect(lastCall().sampling.temperature).toBe(1);
  });
});

describe("prompts", () => {
  it("are rendered by the chat template", async () => {
    await proxy.chat(session, [{ role: "system", content: "be brief" }, user("hello")]);
    expect(promptText()).toBe(
      "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("join text parts, and replace lone surrogates with U+FFFD", async () => {
    await proxy.chat(session, [
      user([
        { type: "text", text: "a" },
        { type: "text", text: "b\ud800" },
      ]),
    ]);
    expect(promptText()).toContain("user\nab\ufffd<|im_end|>");
  });

  it("keep the spelling of numbers and the order of keys of tools", async () => {
    const schema = '{"b":1.0,"2":12345678901234567890,"1":[-0.0,1e-7,true,null]}';
    const tool = `{"type":"function","function":{"parameters":${schema},"description":"\\"tools\\":[1.0]","name":"f"}}`;
    const payload = `{"tools":[],"messages":[{"role":"user","content":"{\\"tools\\":"}],"tools": [${tool}] }`;
    const headers = { "content-type": "application/json" };
    await proxy.request({ method: "POST", url: "/v1/chat/completions", payload, headers }, session.key);
    expect(promptText()).toContain(
      '"parameters": {"b": 1.0, "2": 12345678901234567890, "1": [-0.0, 1e-07, true, null]}',
    );
    expect(promptText()).toMatch(/"parameters": .*"description": .*"name": "f"/);
  });

  it("contain the tools unless tool_choice is none", async () => {
    const tools = ["alpha", "beta"].map((name) => ({
      type: "function",
      function: { name, description: `does ${name}`, parameters: { type: "object", properties: {} } },
    }));
    await proxy.chat(session, [user("a")], { tools });
    expect(promptText()).toMatch(/alpha[^]*beta/);
    await proxy.chat(session, [user("a")], { tools, tool_choice: "none" });
    expect(promptText()).not.toContain("alpha");
    const unknown = await proxy.chat(session, [user("a")], {
      tools,
      tool_choice: { type: "function", function: { name: "x" } },
    });
    expect(unknown.refusal).toBe("400 invalid_value");
  });

  it("pass chat_template_kwargs to the template", async () => {
    expect((await proxy.chat(session, [user("a")], { chat_template_kwargs: { enable_thinking: true } })).status).toBe(
      200,
    );
    const refused = await proxy.chat(session, [user("a")], { chat_template_kwargs: { add_generation_prompt: false } });
    expect(refused.refusal).toBe("400 invalid_value");
    expect(refused.error.param).toBe("chat_template_kwargs.add_generation_prompt");
  });

  it("accept 2,000 messages, and the parent is found", async () => {
    const messages = Array.from({ length: 2000 }, (_, i) =>
      i % 2 ? { role: "assistant", content: `a${i}` } : user(`u${i}`),
    );
    proxy.engine.context = 1 << 20;
    expect((await proxy.chat(session, messages.slice(0, 1999))).status).toBe(200);
    expect((await proxy.chat(session, [...messages.slice(0, 1999), messages[1999] ?? {}, user("more")])).status).toBe(
      200,
    );
    proxy.engine.context = 16_384;
    const [first, second] = await exported();
    expect(second?.parent_id).toBe(first?.interaction_id);
  });

  it("are recorded completely with a message of 1 MB", async () => {
    proxy.engine.context = 1 << 21;
    const content = "some words ".repeat(95_326);
    expect((await proxy.chat(session, [user(content)])).status).toBe(200);
    proxy.engine.context = 16_384;
    const [only] = await exported();
    expect(only?.messages).toEqual([{ role: "user", content }]);
    expect(numbers(only as never, "input_ids").length).toBe(lastCall().prompt.length + 3);
  });
});

describe("the answer", () => {
  it("is a chat completion with usage and cached tokens", async () => {
    proxy.engine.replies.push({ ids: [300, 301, 302], cachedTokens: 4 });
    const reply = (await proxy.chat(session, [user("a")])).json<Record<string, unknown>>();
    const promptTokens = lastCall().prompt.length;
    expect(reply).toMatchObject({
      object: "chat.completion",
      model: "tiny",
      choices: [{ index: 0, message: { role: "assistant", refusal: null }, finish_reason: "stop", logprobs: null }],
      usage: {
        prompt_tokens: promptTokens,
        completion_tokens: 3,
        total_tokens: promptTokens + 3,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
    expect(reply["id"]).toMatch(/^chatcmpl-[0-9a-f]{32}$/);
  });

  it("omits the end-of-turn token, and has finish_reason length if there is none", async () => {
    const [stopId] = proxy.context.model.stopTokenIds;
    const text = (reply: Awaited<ReturnType<typeof proxy.chat>>) =>
      reply.json<{ choices: [{ message: { content: string }; finish_reason: string }] }>().choices[0];
    proxy.engine.replies.push({ ids: [40, 41, stopId ?? 0], finish: { reason: "stop", matched: stopId ?? 0 } });
    expect(text(await proxy.chat(session, [user("a")])).message.content).toBe(decode(Int32Array.of(40, 41)));
    proxy.engine.replies.push({ ids: [40, 41], finish: { reason: "length" } });
    expect(text(await proxy.chat(session, [user("a")])).finish_reason).toBe("length");
    proxy.engine.replies.push({ ids: [stopId ?? 0], finish: { reason: "stop", matched: stopId ?? 0 } });
    expect(text(await proxy.chat(session, [user("a")])).message.content).toBe("");
    proxy.engine.replies.push({ ids: [] });
    expect(text(await proxy.chat(session, [user("a")])).message.content).toBe("");
  });

  it("ends before a stop string, whose tokens are recorded", async () => {
    const ids = [
      ...joinIds((await proxy.context.model.prompt({ messages: [{ role: "user", content: "one two" }] })).idPieces),
    ].slice(0, 8);
    const full = proxy.context.model.decode(Int32Array.from(ids), { skipSpecialTokens: true });
    const stop = full.slice(3, 5);
    proxy.engine.replies.push({ ids, finish: { reason: "stop", matched: stop } });
    const reply = (await proxy.chat(session, [user("a")], { stop: [stop] })).json<{
      choices: [{ message: { content: string } }];
    }>();
    expect(reply.choices[0].message.content).toBe(full.slice(0, full.indexOf(stop)));
    const [only] = await exported();
    expect(numbers(only as never, "input_ids").slice(-ids.length)).toEqual(ids);
  });

  it("has the recorded log probabilities, one entry per token", async () => {
    const reply = (await proxy.chat(session, [user("a")], { logprobs: true })).json<{
      choices: [{ logprobs: { content: { token: string; logprob: number; bytes: number[]; top_logprobs: [] }[] } }];
    }>();
    const { content } = reply.choices[0].logprobs;
    expect(content.map((entry) => entry.logprob)).toEqual([-0.125, -0.25, -0.375]);
    expect(content.map((entry) => entry.token)).toEqual([300, 301, 302].map((id) => decode(Int32Array.of(id))));
    expect(content.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(content.map((entry) => entry.token));
  });

  it("has the bytes of tokens that are parts of a character", async () => {
    const prompt = await proxy.context.model.prompt({ messages: [{ role: "user", content: "😀" }] });
    const ids = [...joinIds(prompt.idPieces)];
    proxy.engine.replies.push({ ids });
    const reply = (await proxy.chat(session, [user("a")], { logprobs: true })).json<{
      choices: [{ logprobs: { content: { token: string; bytes: number[] }[] } }];
    }>();
    const { content } = reply.choices[0].logprobs;
    expect(content.some(({ token }) => token.includes("\uFFFD"))).toBe(true);
    expect(Buffer.from(content.flatMap(({ bytes }) => bytes)).toString()).toBe(decode(Int32Array.from(ids)));
  });
});

describe("a failed call", () => {
  it("returns 400, which SDKs do not retry, if the engine rejects the request", async () => {
    proxy.engine.replies.push(new EngineError("engine_rejected_request", "The grammar cannot be compiled."));
    const failed = await proxy.chat(session, [user("b")]);
    expect(failed.refusal).toBe("400 engine_rejected_request");
    expect(failed.error.type).toBe("invalid_request_error");
    expect(await exported()).toEqual([]);
  });

  it.each([
    [new EngineError("engine_error", "ids and logprobs disagree"), "502 engine_error"],
    [new EngineError("engine_unavailable", "connection refused"), "502 engine_unavailable"],
    [new EngineError("engine_timeout", "no answer in time"), "504 engine_timeout"],
    [new Error("secret path /etc/passwd"), "500 internal_error"],
  ])("returns the engine's error, records nothing, and leaves the session usable: %s", async (error, refusal) => {
    const before = (await proxy.chat(session, [user("a")])).json<{ id: string }>();
    proxy.engine.replies.push(error);
    const failed = await proxy.chat(session, [user("b")]);
    expect(failed.refusal).toBe(refusal);
    expect(failed.error.type).toBe("server_error");
    expect(failed.raw.toString()).not.toContain("/etc/passwd");
    const after = (await proxy.chat(session, [user("c")])).json<{ id: string }>();
    expect((await exported()).map((each) => each.interaction_id)).toEqual([before.id, after.id]);
  });

  it("does not record a call that waits behind another one on its connection if the client disconnects", async () => {
    const url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
    const release = proxy.engine.hold();
    const before = proxy.engine.calls.length;
    const body = JSON.stringify({ messages: [user("a")] });
    const request = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${session.key}\r\n`;
    const socket = connect(Number(url.port), url.hostname);
    for (let i = 0; i < 2; i++) {
      socket.write(`${request}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    }
    await until(() => proxy.engine.calls.length === before + 1);
    const aborted = proxy.engine.aborted.length;
    socket.destroy();
    await until(() => proxy.engine.aborted.length === aborted + 1);
    release();
    expect(proxy.engine.calls.length).toBe(before + 1);
    expect(await exported()).toEqual([]);
    await proxy.close();
    proxy = await Proxy.start();
  });

  it("aborts the engine request and records nothing if the client disconnected", async () => {
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const release = proxy.engine.hold();
    const before = proxy.engine.calls.length;
    const controller = new AbortController();
    const call = fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${session.key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [user("a")] }),
      signal: controller.signal,
    });
    await until(() => proxy.engine.calls.length === before + 1);
    controller.abort();
    await expect(call).rejects.toThrow("aborted");
    await until(() => proxy.engine.aborted.length === 1);
    release();
    expect(await exported()).toEqual([]);
  });
});
