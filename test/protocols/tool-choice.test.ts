import { describe, expect, it } from "vitest";
import { chatCompletionSchema, parseChatCompletion } from "../../src/protocols/chat-completions/request.js";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";
import type { ModelRequest } from "../../src/protocols/model-request.js";
import { parseResponses, responsesSchema } from "../../src/protocols/responses/request.js";

/** What a prompt shows of tools and of the choice between them. */

const messages = [{ role: "user", content: "hello" }];
const parameters = { type: "object", properties: { a: { type: "string" } } };
const NO_EARLIER = {
  findMessages: () => [],
  findItem: () => undefined,
  countPlaceholders: () => 0,
  readReasoning: () => "",
};

const chat = (extra: object): ModelRequest => parseChatCompletion(chatCompletionSchema.parse({ messages, ...extra }));
const responses = (extra: object): ModelRequest =>
  parseResponses(responsesSchema.parse({ input: "hello", ...extra }), NO_EARLIER);
const claude = (extra: object): ModelRequest =>
  parseMessages(messagesSchema.parse({ messages, max_tokens: 9, ...extra }));

const PROTOCOLS = [
  ["chat completions", chat, [{ type: "function", function: { name: "f", parameters } }], "auto", "required"],
  ["responses", responses, [{ type: "function", name: "f", parameters }], "auto", "required"],
  ["messages", claude, [{ name: "f", input_schema: parameters }], { type: "auto" }, { type: "any" }],
] as const;

describe.each(PROTOCOLS)("a request of %s", (_, parse, tools, auto, required) => {
  it("has neither tools nor template variables if it declares none", () => {
    expect(parse({}).conversation).toEqual({ messages });
    expect(Object.keys(parse({}).conversation)).toEqual(["messages"]);
    expect(Object.keys(parse({ tools: [] }).conversation)).toEqual(["messages"]);
  });

  it("shows the template its tools and the choice between them", () => {
    const { conversation } = parse({ tools, tool_choice: auto });
    expect(conversation.tools).toEqual([{ type: "function", function: { name: "f", parameters } }]);
    expect(conversation.templateArgs).toEqual({ tool_choice: "auto" });
    expect(parse({ tools, tool_choice: required }).conversation.templateArgs).toEqual({ tool_choice: "required" });
    expect(parse({ tools }).conversation).not.toHaveProperty("templateArgs");
  });

  it("shows the template no choice without tools", () => {
    expect(Object.keys(parse({ tool_choice: auto }).conversation)).toEqual(["messages"]);
  });
});
