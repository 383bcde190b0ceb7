import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";

/** Blocks of Anthropic's messages, read into the messages that chat templates know, in the order of the request. */

const text = (value: string) => ({ type: "text", text: value });
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const tool = (toolCallId: string, content: string): Message => ({ role: "tool", content, toolCallId });
const user = (content: string): Message => ({ role: "user", content });

function read(messages: readonly object[], extra: object = {}): readonly Message[] {
  return parseMessages(messagesSchema.parse({ max_tokens: 16, messages, ...extra })).conversation.messages;
}

describe("blocks of a user message", () => {
  it.each<[string, object[], Message[]]>([
    ["text before a tool result", [text("a"), result("1", "r")], [user("a"), tool("1", "r")]],
    ["text after a tool result", [result("1", "r"), text("a")], [tool("1", "r"), user("a")]],
    [
      "text between tool results",
      [result("1", "r"), text("a"), result("2", "s")],
      [tool("1", "r"), user("a"), tool("2", "s")],
    ],
    ["text around a tool result", [text("a"), result("1", "r"), text("b")], [user("a"), tool("1", "r"), user("b")]],
    ["tool results only", [result("1", "r"), result("2", "s")], [tool("1", "r"), tool("2", "s")]],
  ])("keep their order: %s", (_, content, expected) => {
    expect(read([{ role: "user", content }])).toEqual(expected);
  });

  it("are one message if text follows text", () => {
    expect(read([{ role: "user", content: [text("a"), text("b")] }])).toEqual([user("ab")]);
  });

  it("are a message even if their text is empty", () => {
    expect(read([{ role: "user", content: [text(""), result("1", "r")] }])).toEqual([user(""), tool("1", "r")]);
  });

  it("join the text blocks of a tool result, and read a result without content as an empty one", () => {
    const content = [result("1", [text("a"), text("b")]), result("2", []), { type: "tool_result", tool_use_id: "3" }];
    expect(read([{ role: "user", content }])).toEqual([tool("1", "ab"), tool("2", ""), tool("3", "")]);
  });
});

describe("blocks of an assistant message", () => {
  it("become one message with their text, thinking and calls, without redacted thinking", () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "" },
      text("a"),
      { type: "redacted_thinking", data: "secret" },
      { type: "tool_use", id: "1", name: "f", input: { x: 1 } },
      { type: "thinking", thinking: " so", signature: "" },
      text("b"),
      { type: "tool_use", id: "2", name: "g", input: {} },
    ];
    expect(read([user("q"), { role: "assistant", content }, { role: "user", content: [result("1", "r")] }])).toEqual([
      user("q"),
      {
        role: "assistant",
        content: "ab",
        reasoning: "hm so",
        toolCalls: [
          { id: "1", name: "f", arguments: '{"x":1}' },
          { id: "2", name: "g", arguments: "{}" },
        ],
      },
      tool("1", "r"),
    ]);
  });

  it("have no calls and no reasoning if there are none", () => {
    expect(read([user("q"), { role: "assistant", content: [text("a")] }, user("b")])).toEqual([
      user("q"),
      { role: "assistant", content: "a" },
      user("b"),
    ]);
  });
});

describe("a system prompt", () => {
  it.each<[string, unknown, Message[]]>([
    ["text", "be brief", [{ role: "system", content: "be brief" }]],
    ["blocks, as paragraphs", [text("a"), text("b")], [{ role: "system", content: "a\nb" }]],
    ["an empty text, like no system prompt", "", []],
    ["no blocks, as none", [], []],
  ])("is read from %s", (_, system, lead) => {
    expect(read([user("q")], { system })).toEqual([...lead, user("q")]);
  });

  it("becomes a message at its own position among the messages", () => {
    expect(read([user("q"), { role: "system", content: [text("a"), text("b")] }, user("r")])).toEqual([
      user("q"),
      { role: "system", content: "ab" },
      user("r"),
    ]);
  });
});

describe("a tool", () => {
  const tools = (description?: string | null) =>
    parseMessages(
      messagesSchema.parse({
        max_tokens: 16,
        messages: [{ role: "user", content: "a" }],
        tools: [{ name: "f", input_schema: { type: "object" }, ...(description !== undefined && { description }) }],
      }),
    ).conversation.tools;

  it("is shown with its description if it has one", () => {
    const parameters = { type: "object" };
    expect(tools("Looks.")).toEqual([{ type: "function", function: { name: "f", description: "Looks.", parameters } }]);
    for (const none of [undefined, null])
      expect(tools(none)).toEqual([{ type: "function", function: { name: "f", parameters } }]);
  });
});

describe("definitions of tools within messages", () => {
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const definition = '<functions>\n<function>{"name":"f","parameters":{"type":"object"}}</function>\n</functions>';
  const reference = { type: "tool_reference", tool_name: "f" };
  const named = { type: "tool_reference", name: "f" };
  const shown = (content: unknown[]) => {
    const request = { tools, messages: [user("q"), { role: "user", content: [result("1", content)] }] };
    return read(request.messages, { tools }).at(-1)?.content;
  };

  it.each<[string, unknown[], string]>([
    ["alone", [reference], definition],
    ["after a line", [text("a\n"), reference], `a\n${definition}`],
    ["after a text", [text("a"), reference], `a\n${definition}`],
    ["before a text", [reference, text("b")], `${definition}\nb`],
    ["before an empty text", [reference, text(""), text("b")], `${definition}\nb`],
    [
      "a second time, by name only",
      [reference, reference],
      definition.replace("</function>\n", '</function>\n<function>{"name":"f"}</function>\n'),
    ],
  ])("are lines of their own: %s", (_, content, expected) => {
    expect(shown(content)).toBe(expected);
  });

  it("must be of declared tools", () => {
    expect(() => shown([{ ...reference, tool_name: "g" }])).toThrow('names the tool "g", which is not in tools');
  });

  it("come with additions of a system message, which also announces removals", () => {
    const system = (content: unknown[]) => read([user("q"), { role: "system", content }], { tools }).at(-1)?.content;
    expect(system([text("a"), { type: "tool_addition", tool: named }])).toBe(`a\n${definition}`);
    const added = { type: "tool_definition", definition: { name: "g", input_schema: { type: "object" } } };
    expect(system([{ type: "tool_addition", tool: added }])).toBe(definition.replace('"f"', '"g"'));
    expect(system([text("a"), { type: "tool_removal", tool: named }, text("b")])).toBe(
      "a\nThe tool f is no longer available.\nb",
    );
  });
});

it.each<[string, object, string]>([
  [
    "a message of the user",
    { role: "user", content: [{ type: "thinking", thinking: "a" }] },
    "text, tool_result, image and document",
  ],
  ["a message of the assistant", { role: "assistant", content: [result("1", "r")] }, "text, thinking and tool_use"],
  ["a message of the system", { role: "system", content: [result("1", "r")] }, "text, tool_addition and tool_removal"],
  [
    "a tool result",
    { role: "user", content: [result("1", [result("2", "r")])] },
    "text, tool_reference, image and document",
  ],
])("names the accepted blocks if it refuses another one in %s", (_, message, accepted) => {
  const { error } = messagesSchema.safeParse({ max_tokens: 1, messages: [message] });
  expect(JSON.stringify(error?.issues)).toContain(`only ${accepted} blocks are supported; received a block of type`);
});
