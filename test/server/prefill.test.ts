import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport, WireInteraction } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** Requests that begin the answer, with both values of chat_template_type. */

const proxies = new Map<"hf" | "concat", Proxy>();
beforeAll(async () => {
  for (const chatTemplateType of ["hf", "concat"] as const) {
    proxies.set(chatTemplateType, await Proxy.start({ settings: { chatTemplateType } }));
  }
});
afterAll(() => Promise.all([...proxies.values()].map((proxy) => proxy.close())));

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

const requireProxy = (type: "hf" | "concat"): Proxy => {
  const proxy = proxies.get(type);
  if (!proxy) throw new Error("no proxy");
  return proxy;
};

const readPrompt = (proxy: Proxy) =>
  proxy.context.model.decode(proxy.engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array(), {
    skipSpecialTokens: false,
  });

async function exportInteractions(proxy: Proxy, session: StartedSession): Promise<WireInteraction[]> {
  await proxy.end(session);
  return Object.values((await proxy.export(session, { include: ["messages"] })).json<WireExport>().interactions);
}

describe.each(["hf", "concat"] as const)("%s", (type) => {
  it("in messages, ends the prompt with the prefill, answers with the rest, and records the whole answer", async () => {
    const proxy = requireProxy(type);
    const session = await proxy.session();
    const send = (messages: readonly object[]) => proxy.post("/v1/messages", { max_tokens: 16, messages }, session.key);
    const begun = [user("a"), assistant("The answer is:")];
    const reply = (await send(begun)).json<{ content: [{ text: string }]; usage: { input_tokens: number } }>();
    expect(readPrompt(proxy).endsWith("assistant\nThe answer is:")).toBe(true);
    const counted = await proxy.post("/v1/messages/count_tokens", { messages: begun }, session.key);
    expect(counted.json<{ input_tokens: number }>().input_tokens).toBe(reply.usage.input_tokens);
    const [{ text }] = reply.content;
    expect(text).toBe(proxy.context.model.decode(Int32Array.of(300, 301, 302), { skipSpecialTokens: true }));
    const next = await send([user("a"), assistant(`The answer is:${text}`), user("b"), assistant("So:")]);
    expect(next.refusal).toBe("200");
    expect(readPrompt(proxy).endsWith("assistant\nSo:")).toBe(true);
    const [first, second] = await exportInteractions(proxy, session);
    expect(first?.messages).toEqual([user("a")]);
    expect(first?.output_message_list).toEqual([assistant(`The answer is:${text}`)]);
    expect(second?.parent_id).toBe(first?.interaction_id);
    expect(type === "hf" || second?.token_exact).toBe(true);
  });

  it("in chat completions, is given with continue_final_message", async () => {
    const proxy = requireProxy(type);
    const session = await proxy.session();
    const body = { continue_final_message: true, add_generation_prompt: false };
    const reply = await proxy.chat(session, [user("a"), assistant("Well,")], body);
    expect(readPrompt(proxy).endsWith("assistant\nWell,")).toBe(true);
    const [choice] = reply.json<{ choices: [{ message: { content: string } }] }>().choices;
    expect(choice.message.content.startsWith("Well,")).toBe(false);
    for (const [messages, extra, param] of [
      [[user("a")], {}, "continue_final_message"],
      [[user("a"), assistant("x")], { add_generation_prompt: true }, "add_generation_prompt"],
      [[user("a"), assistant("x")], { response_format: { type: "json_object" } }, "continue_final_message"],
      [[user("a"), { ...assistant("x"), reasoning_content: "hm" }], {}, "messages"],
    ] as const) {
      const refused = await proxy.chat(session, messages, { ...body, ...extra });
      expect([refused.status, refused.error.param]).toEqual([400, param]);
    }
    const again = await proxy.chat(session, [user("a"), assistant("Well,")]);
    expect(again.refusal).toBe("200");
    expect(readPrompt(proxy).endsWith("assistant\nWell,")).toBe(false);
  });

  it("has no effect if it is empty", async () => {
    const proxy = requireProxy(type);
    const session = await proxy.session();
    const body = { max_tokens: 16, messages: [user("a"), assistant("")] };
    expect((await proxy.post("/v1/messages", body, session.key)).refusal).toBe("200");
    expect(readPrompt(proxy).endsWith("assistant\n")).toBe(true);
  });
});

describe("after a prefill", () => {
  it("the parser reads text and no reasoning", async () => {
    const proxy = await Proxy.start({ model: { reasoningParser: "deepseek_r1" } });
    const session = await proxy.session();
    const messages = [user("a"), assistant("So")];
    const begun = await proxy.post("/v1/messages", { max_tokens: 16, messages }, session.key);
    expect(begun.json<{ content: { type: string }[] }>().content.map(({ type }) => type)).toEqual(["text"]);
    const free = await proxy.post("/v1/messages", { max_tokens: 16, messages: [user("a")] }, session.key);
    expect(free.json<{ content: { type: string }[] }>().content.map(({ type }) => type)).toEqual(["thinking"]);
    await proxy.close();
  });
});
