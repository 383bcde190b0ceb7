import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversation/message.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { chatCompletionSchema, parseChatCompletion } from "../../src/protocols/chat-completions/request.js";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";
import { parseResponses, responsesSchema } from "../../src/protocols/responses/request.js";
import { publishedTemplate } from "../model/support/golden.js";
import { joinIds, writeModelFolder } from "../model/support/model-folder.js";

/** Renders prompts of published templates to show the effect of each protocol's reasoning fields. */

const messages = [{ role: "user", content: "hello" }];
const chat = (extra: object) => parseChatCompletion(chatCompletionSchema.parse({ messages, ...extra })).conversation;
const responses = (extra: object) =>
  parseResponses(responsesSchema.parse({ input: "hello", ...extra }), {
    findMessages: () => [],
    findItem: () => undefined,
    countPlaceholders: () => 0,
    readReasoning: () => "",
  }).conversation;
const claude = (extra: object) =>
  parseMessages(messagesSchema.parse({ messages, max_tokens: 8192, ...extra })).conversation;

async function renderPrompt(template: string, conversation: Conversation): Promise<string> {
  const model = await loadChatModel(writeModelFolder(publishedTemplate(template), ["<|im_end|>"]));
  return model.decode(Int32Array.from(joinIds((await model.prompt(conversation)).idPieces)), {
    skipSpecialTokens: false,
  });
}

const OFF: [string, Conversation][] = [
  ["chat completions", chat({ reasoning_effort: "none" })],
  ["responses", responses({ reasoning: { effort: "none" } })],
  ["messages", claude({ thinking: { type: "disabled" } })],
];
const HIGH: [string, Conversation][] = [
  ["chat completions", chat({ reasoning_effort: "high" })],
  ["responses", responses({ reasoning: { effort: "high" } })],
  ["messages", claude({ output_config: { effort: "high" } })],
];

describe("reasoning fields of a request", () => {
  it.each(OFF)("turn reasoning off in published templates: %s", async (_, conversation) => {
    expect(await renderPrompt("Qwen-Qwen3-0.6B", conversation)).toMatch(/<think>\n\n<\/think>\n\n$/);
    expect(await renderPrompt("GLM-4.6", conversation)).toMatch(/<think><\/think>$/);
    expect(await renderPrompt("deepseek-ai-DeepSeek-V3.1", conversation)).toMatch(/<\/think>$/);
    expect(await renderPrompt("ByteDance-Seed-OSS", conversation)).toContain("thinking budget is 0");
    expect(await renderPrompt("MiniMax-M3", conversation)).toContain("thinking mode: disabled");
    expect(await renderPrompt("Kimi-K3", conversation)).toMatch(/<\|open\|>response<\|sep\|>$/);
  });

  it.each(HIGH)("ask published templates for a high effort: %s", async (_, conversation) => {
    expect(await renderPrompt("Qwen-Qwen3-0.6B", conversation)).toMatch(/assistant\n$/);
    expect(await renderPrompt("deepseek-ai-DeepSeek-V3.1", conversation)).toMatch(/<think>$/);
    expect(await renderPrompt("openai-gpt-oss-120b", conversation)).toContain("Reasoning: high");
    expect(await renderPrompt("MiniMax-M3", conversation)).toContain("thinking mode: enabled");
    expect(await renderPrompt("Kimi-K3", conversation)).toMatch(/<\|open\|>think<\|sep\|>$/);
  });

  it("pass a thinking budget, and translate efforts for templates with other names of efforts", async () => {
    const budget = claude({ thinking: { type: "enabled", budget_tokens: 2048 } });
    expect(await renderPrompt("ByteDance-Seed-OSS", budget)).toContain("within 2048 tokens");
    const [low, medium, max] = await Promise.all(
      ["minimal", "medium", "max"].map((effort) => renderPrompt("Kimi-K3", chat({ reasoning_effort: effort }))),
    );
    expect(low).toContain("`low`");
    expect(new Set([low, medium, max]).size).toBe(3);
    expect(await renderPrompt("MiniMax-M3", claude({ thinking: { type: "adaptive" } }))).toContain("mode: adaptive");
  });

  it("are overridden by chat_template_kwargs", async () => {
    const kwargs = { chat_template_kwargs: { enable_thinking: true } };
    expect(await renderPrompt("Qwen-Qwen3-0.6B", chat({ reasoning_effort: "none", ...kwargs }))).toMatch(
      /assistant\n$/,
    );
  });

  it("set no template variable if the request has none of them", () => {
    for (const conversation of [chat({}), responses({}), claude({})]) expect(conversation.templateArgs).toBeUndefined();
  });
});
