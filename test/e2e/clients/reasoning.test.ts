import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallTokens, ServedAgents, toolCall } from "../../helpers/served-agents.js";
import { ADD, Numbers, toParameters } from "./tools.js";

/** Each protocol streams reasoning separately from the answer, and accepts it in the next turn. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ model: { reasoningParser: "qwen3" } });
});
afterAll(() => agents.close());

const SAID = `<think>\nOne and two.\n</think>\n\nI add.\n${toolCall("add", { a: 1, b: 2 })}`;
const THOUGHT = SAID.slice(0, SAID.indexOf("</think>") + "</think>".length);
const user = { role: "user" as const, content: "1+2?" };

/** Counts the tokens of the first output that begin in its reasoning. A token begins where the text of all earlier tokens ends. */
function thoughtTokens([first]: readonly CallTokens[]): number {
  const ids = (first?.ids ?? []).filter((_, i) => first?.mask[i] === 1);
  const before = (i: number) =>
    agents.proxy.context.model.decode(Int32Array.from(ids.slice(0, i)), { skipSpecialTokens: false });
  return ids.filter((_, i) => before(i).length < THOUGHT.length).length;
}

describe("reasoning", () => {
  it("of a chat completion is its reasoning_content", async () => {
    const { session, client } = await agents.openai();
    await agents.say(SAID, 1);
    await agents.say("Three.");
    const told = { reasoning: "", text: "", finish: "" };
    let counted: number | undefined;
    const stream = await client.chat.completions.create({
      model: "tiny",
      messages: [user],
      tools: [ADD],
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const { choices, usage } of stream) {
      const [choice] = choices;
      counted = usage?.completion_tokens_details?.reasoning_tokens ?? counted;
      const { content, reasoning_content: reasoning } = (choice?.delta ?? {}) as {
        content?: string;
        reasoning_content?: string;
      };
      told.text += content ?? "";
      told.reasoning += reasoning ?? "";
      told.finish = choice?.finish_reason ?? told.finish;
    }
    expect(told).toEqual({ reasoning: "One and two.", text: "I add.", finish: "tool_calls" });
    const assistant = { role: "assistant" as const, content: told.text, reasoning_content: told.reasoning };
    const calls = [{ id: "c", type: "function" as const, function: { name: "add", arguments: '{"b":2,"a":1}' } }];
    const result = { role: "tool" as const, tool_call_id: "c", content: "3" };
    const messages = [user, { ...assistant, tool_calls: calls }, result];
    const second = await client.chat.completions.create({ model: "tiny", messages, tools: [ADD] });
    expect(second.usage?.completion_tokens_details?.reasoning_tokens).toBe(0);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    expect(counted).toBe(thoughtTokens(exported));
    expect(counted).toBeGreaterThan(3);
    expect(interactions[1]?.parent_id).toBe(interactions[0]?.interaction_id);
  });

  it("of a message is a thinking block", async () => {
    const session = await agents.session();
    const client = new Anthropic({ baseURL: agents.url, apiKey: session.key, authToken: null, maxRetries: 0 });
    await agents.say(SAID, 1);
    await agents.say("Three.");
    const tools = [{ name: "add", input_schema: { ...toParameters(Numbers), type: "object" as const } }];
    const body = {
      model: "tiny",
      max_tokens: 2048,
      thinking: { type: "enabled" as const, budget_tokens: 1024 },
      tools,
    };
    const first = await client.messages.stream({ ...body, messages: [user] }).finalMessage();
    expect(first.content).toMatchObject([
      { type: "thinking", thinking: "One and two." },
      { type: "text", text: "I add." },
      { type: "tool_use", name: "add", input: { a: 1, b: 2 } },
    ]);
    const call = first.content.find((block) => block.type === "tool_use");
    const result = { type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "3" };
    const messages = [
      user,
      { role: "assistant" as const, content: first.content },
      { role: "user" as const, content: [result] },
    ];
    const second = await client.messages.create({ ...body, messages });
    expect(second.usage.output_tokens_details?.thinking_tokens).toBe(0);
    const { interactions, exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    expect(first.usage.output_tokens_details?.thinking_tokens).toBe(thoughtTokens(exported));
    expect(interactions[1]?.parent_id).toBe(first.id);
  });

  it("of a response is its first item", async () => {
    const { session, client } = await agents.openai();
    await agents.say(SAID, 1);
    const tools = [{ type: "function" as const, name: "add", parameters: toParameters(Numbers), strict: true }];
    const response = await client.responses.stream({ model: "tiny", input: "1+2?", tools }).finalResponse();
    expect(response.output).toMatchObject([
      { type: "reasoning", content: [{ type: "reasoning_text", text: "One and two." }] },
      { type: "message", content: [{ text: "I add." }] },
      { type: "function_call", name: "add" },
    ]);
    await agents.say(SAID);
    const whole = await client.responses.create({ model: "tiny", input: "1+2?", tools });
    const { exported, logged } = await agents.recorded(session);
    expect(exported).toEqual(logged);
    for (const { usage } of [response, whole]) {
      expect(usage?.output_tokens_details.reasoning_tokens).toBe(thoughtTokens(exported));
    }
  });
});
