import { describe, expect, it } from "vitest";
import { showAsText } from "../../../src/conversation/media.js";
import type { Message, ToolCall } from "../../../src/conversation/message.js";
import { type CallStyle, placeCalls } from "../../../src/model/template/call-messages.js";
import { ChatTemplate } from "../../../src/model/template/chat-template.js";
import { publishedTemplate } from "../support/golden.js";

const call = (id: string): ToolCall => ({ id, name: `name_${id}`, arguments: `{"of": "${id}"}` });
const user: Message = { role: "user", content: "question" };
const result = (id: string): Message => ({
  role: "tool",
  content: `result of ${id}`,
  toolCallId: id,
  name: `name_${id}`,
});
const calling = (ids: string, parts: Partial<Message> = {}): Message => ({
  role: "assistant",
  content: "",
  toolCalls: Array.from(ids, call),
  ...parts,
});

const ONE_BY_ONE: CallStyle = { calls: "one_by_one", text: "content" };
const IN_REASONING: CallStyle = { calls: "together", text: "reasoning" };

const place = (rules: CallStyle, ...messages: Message[]) =>
  placeCalls(messages, rules).map(({ role, content, reasoning, toolCalls = [], toolCallId = "" }) =>
    [role, showAsText(content), reasoning ?? "", ...toolCalls.map(({ id }) => id), toolCallId]
      .filter((part) => part !== "")
      .join(" "),
  );

describe("messages with calls", () => {
  it("stay as they are in a template that shows all of them", () => {
    const messages = [user, calling("ab", { content: "text", reasoning: "thought" }), result("a"), result("b")];
    expect(placeCalls(messages, { calls: "together", text: "content" })).toBe(messages);
    expect(placeCalls([user, calling("a")], ONE_BY_ONE)).toEqual([user, calling("a")]);
  });

  it("are divided, each call with its result after it", () => {
    const answer = calling("abc", { content: "text", reasoning: "thought" });
    expect(place(ONE_BY_ONE, user, answer, result("b"), result("a"), result("x"), user, calling("de"))).toEqual([
      "user question",
      "assistant text thought a",
      "tool result of a a",
      "assistant b",
      "tool result of b b",
      "assistant c",
      "tool result of x x",
      "user question",
      "assistant d",
      "assistant e",
    ]);
  });

  it("have their text in the reasoning, if they have reasoning", () => {
    expect(place(IN_REASONING, calling("a", { content: "text", reasoning: "thought" }), result("a"))).toEqual([
      "assistant thought\n\ntext a",
      "tool result of a a",
    ]);
    expect(place(IN_REASONING, calling("a", { content: "text" }))).toEqual(["assistant text a"]);
  });

  it("give the same messages each time, because their values are cached", () => {
    const messages = [user, calling("ab"), result("a"), result("b")];
    const [first, second] = [placeCalls(messages, ONE_BY_ONE), placeCalls(messages, ONE_BY_ONE)];
    expect(first.map((message, i) => message === second[i])).toEqual([true, true, true, true, true]);
  });
});

const load = (name: string) =>
  new ChatTemplate(publishedTemplate(name), { now: () => new Date(0), templateArgs: {}, specialTokens: new Map() });

describe("a template that accepts one call in a message", () => {
  it.each(["meta-llama-Llama-3.1-8B-Instruct", "meta-llama-Llama-3.3-70B-Instruct"])(
    "%s shows two, each before its result",
    (name) => {
      const messages = [user, calling("ab"), result("a"), result("b"), user];
      const text = load(name).render({ messages }, true);
      const turn = (role: string, content: string) =>
        `<|start_header_id|>${role}<|end_header_id|>\n\n${content}<|eot_id|>`;
      const shown = (id: string) =>
        turn("assistant", `{"name": "name_${id}", "parameters": {"of": "${id}"}}`) +
        turn("ipython", `"result of ${id}"`);
      expect(text).toContain(shown("a") + shown("b"));
    },
  );

  it("openai-gpt-oss-120b shows two, each result with the name of its call", () => {
    const text = load("openai-gpt-oss-120b").render(
      { messages: [user, calling("ab"), result("b"), result("a")] },
      true,
    );
    const shown = (id: string) =>
      `<|start|>assistant to=functions.name_${id}<|channel|>commentary json<|message|>{"of": "${id}"}<|call|>` +
      `<|start|>functions.name_${id} to=assistant<|channel|>commentary<|message|>"result of ${id}"<|end|>`;
    expect(text).toContain(shown("a") + shown("b"));
  });
});

it("openai-gpt-oss-120b shows text beside reasoning and a call, which it refuses as content", () => {
  const messages = [user, calling("a", { content: "I look.", reasoning: "Hm." }), result("a")];
  const text = load("openai-gpt-oss-120b").render({ messages }, true);
  expect(text).toContain("<|channel|>analysis<|message|>Hm.\n\nI look.<|end|><|start|>assistant to=functions.name_a");
});
