import { describe, expect, it } from "vitest";
import { chatMessagesSchema, requestMessagesSchema, toChatMessage } from "../../src/conversation/chat-message.js";
import type { Message } from "../../src/conversation/message.js";

const read = (message: object): Message | undefined => chatMessagesSchema.parse([message])[0];
const readRequest = (message: object) => requestMessagesSchema.parse([message])[0];
const refusalOf = (schema: typeof chatMessagesSchema | typeof requestMessagesSchema, value: unknown): string =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)[0] ?? "accepted";
const refusal = (message: object): string => refusalOf(chatMessagesSchema, [message]);

const textParts = [
  { type: "text", text: "a" },
  { type: "text", text: "b" },
];
const toolCalls = [{ id: "1", type: "function", function: { name: "f", arguments: "{ }" } }];

describe("a chat message", () => {
  it.each<[string, object, Message]>([
    ["a system message", { role: "system", content: "a" }, { role: "system", content: "a" }],
    ["a developer message", { role: "developer", content: textParts }, { role: "developer", content: "ab" }],
    ["a user message", { role: "user", content: "", name: "n" }, { role: "user", content: "", name: "n" }],
    ["text parts", { role: "user", content: textParts }, { role: "user", content: "ab" }],
    ["no name", { role: "user", content: "a", name: null }, { role: "user", content: "a" }],
    ["an empty name as no name", { role: "user", content: "a", name: "" }, { role: "user", content: "a" }],
    ["fields that no prompt shows", { role: "user", content: "a", weight: 1 }, { role: "user", content: "a" }],
    ["lone surrogates as U+FFFD", { role: "user", content: "a\ud800" }, { role: "user", content: "a\ufffd" }],
    [
      "a tool result",
      { role: "tool", content: textParts, tool_call_id: "1", name: "n" },
      { role: "tool", content: "ab", toolCallId: "1", name: "n" },
    ],
    [
      "a tool result without content",
      { role: "tool", content: null, tool_call_id: "1" },
      { role: "tool", content: "", toolCallId: "1" },
    ],
    ["an answer", { role: "assistant", content: "a", name: "n" }, { role: "assistant", content: "a", name: "n" }],
    [
      "an answer without content",
      { role: "assistant", content: null, tool_calls: null },
      { role: "assistant", content: "" },
    ],
    [
      "an empty list of calls",
      { role: "assistant", content: "a", tool_calls: [] },
      { role: "assistant", content: "a" },
    ],
    ["a refusal", { role: "assistant", refusal: "no" }, { role: "assistant", content: "no" }],
    [
      "content rather than a refusal",
      { role: "assistant", content: "a", refusal: "no" },
      { role: "assistant", content: "a" },
    ],
    [
      "parts of refusals",
      { role: "assistant", content: [...textParts, { type: "refusal", refusal: "no" }] },
      { role: "assistant", content: "abno" },
    ],
    [
      "reasoning",
      { role: "assistant", content: "a", reasoning: "r" },
      { role: "assistant", content: "a", reasoning: "r" },
    ],
    [
      "`reasoning_content` rather than `reasoning`",
      { role: "assistant", content: "a", reasoning_content: "c", reasoning: "r" },
      { role: "assistant", content: "a", reasoning: "c" },
    ],
    [
      "calls with their arguments as they are written",
      { role: "assistant", tool_calls: toolCalls },
      { role: "assistant", content: "", toolCalls: [{ id: "1", name: "f", arguments: "{ }" }] },
    ],
    [
      "calls and reasoning",
      { role: "assistant", reasoning: "r", tool_calls: toolCalls },
      { role: "assistant", content: "", reasoning: "r", toolCalls: [{ id: "1", name: "f", arguments: "{ }" }] },
    ],
    [
      "the absence of `audio` and `function_call`",
      { role: "assistant", content: "a", audio: null, function_call: null },
      { role: "assistant", content: "a" },
    ],
  ])("is read with %s", (_, message, expected) => {
    expect(read(message)).toStrictEqual(expected);
    expect(readRequest(message)).toStrictEqual({ message: expected });
  });

  it.each<[string, object, string]>([
    [
      "another role",
      { role: "function", content: "a" },
      "0.role: must be one of system, developer, user, assistant, tool",
    ],
    ["no role", { content: "a" }, "0.role: must be one of system, developer, user, assistant, tool"],
    ["`audio`", { role: "assistant", audio: { id: "1" } }, "0.audio: audio is not supported"],
    [
      "`function_call`",
      { role: "assistant", function_call: { name: "f" } },
      "0.function_call: function_call is not supported; use tool_calls",
    ],
  ])("is refused with %s", (_, message, expected) => {
    expect(refusal(message)).toBe(expected);
  });

  it.each<[string, object]>([
    ["no content of a user", { role: "user" }],
    ["no content of a system message", { role: "system", content: null }],
    ["a tool result without the id of its call", { role: "tool", content: "a" }],
    ["a call without a name", { role: "assistant", tool_calls: [{ id: "1", function: { name: "", arguments: "" } }] }],
    ["a call without an id", { role: "assistant", tool_calls: [{ function: { name: "f", arguments: "" } }] }],
    ["a call of another type", { role: "assistant", tool_calls: [{ ...toolCalls[0], type: "custom" }] }],
    ["a part of a refusal that a user wrote", { role: "user", content: [{ type: "refusal", refusal: "no" }] }],
    ["a part without text", { role: "user", content: [{ type: "text" }] }],
  ])("is refused with %s", (_, message) => {
    expect(refusal(message)).not.toBe("accepted");
  });

  it.each<[string, unknown, string]>([
    ["the type of the part", { type: "video" }, 'a part of type "video"'],
    ["at most 40 characters of the type", { type: "v".repeat(50) }, `a part of type "${"v".repeat(40)}"`],
    ["a part without a type", {}, "a part without a type"],
    ["a part that is null", null, "a part without a type"],
    ["a part that is text", "text", "a part without a type"],
    ["a type that is not text", { type: 1 }, "a part without a type"],
  ])("that has a part which is not supported is refused, naming %s", (_, part, described) => {
    const issuesOf = (role: string, schema: typeof chatMessagesSchema | typeof requestMessagesSchema) =>
      JSON.stringify(schema.safeParse([{ role, content: [part] }]).error?.issues);
    const written = (text: string) => JSON.stringify(text).slice(1, -1);
    expect(issuesOf("user", chatMessagesSchema)).toContain(
      written(`only text and image parts are supported; received ${described}`),
    );
    expect(issuesOf("system", chatMessagesSchema)).toContain(
      written(`only text parts are supported; received ${described}`),
    );
    expect(issuesOf("user", requestMessagesSchema)).toContain(
      written(`expected a part of type text, image_url, file or input_audio; received ${described}`),
    );
    expect(issuesOf("assistant", chatMessagesSchema)).toContain(
      written(`only text and refusal parts are supported; received ${described}`),
    );
  });
});

describe("a list of chat messages", () => {
  it("has at least one message", () => {
    expect(refusalOf(chatMessagesSchema, [])).toContain("must hold at least 1");
    expect(refusalOf(requestMessagesSchema, [])).toContain("must hold at least 1");
  });

  it("gives messages that occur again the same results", () => {
    const messages = Array.from({ length: 20 }, (_, i) => ({ role: "user", content: `${i}` }));
    const [first, again] = [chatMessagesSchema.parse(messages), chatMessagesSchema.parse(messages)];
    for (const [index, message] of first.entries()) expect(again[index]).toBe(message);
    const [requested, requestedAgain] = [requestMessagesSchema.parse(messages), requestMessagesSchema.parse(messages)];
    for (const [index, message] of requested.entries()) expect(requestedAgain[index]).toBe(message);
  });
});

describe("a message with parts that are not text", () => {
  const media = [
    { type: "text", text: "see " },
    { type: "image_url", image_url: { url: "data:" } },
    { type: "file", file: {} },
    { type: "input_audio", input_audio: {} },
  ];

  it.each([
    ["user", {}],
    ["tool", { tool_call_id: "1" }],
  ])("of a %s has a content apart, which a policy decides about", (role, more) => {
    const image = { field: "image_url.url", value: "data:", form: "data_url" };
    expect(readRequest({ role, content: media, ...more })).toEqual({
      message: { role, content: "", ...(role === "tool" ? { toolCallId: "1" } : {}) },
      content: {
        parts: [
          { type: "text", text: "see " },
          { type: "image_url", kind: "image", image },
          { type: "file", kind: "file" },
          { type: "input_audio", kind: "audio" },
        ],
      },
    });
  });

  it.each([undefined, null, "data:", [], { url: 1 }])("can have any value as its image: %j", (value) => {
    const { content } = readRequest({ role: "user", content: [{ type: "image_url", image_url: value }] }) ?? {};
    expect(content?.parts).toMatchObject([{ kind: "image", image: { field: "image_url.url" } }]);
  });

  it.each(["system", "developer", "assistant"])("of a %s message is refused", (role) => {
    expect(refusalOf(requestMessagesSchema, [{ role, content: media }])).not.toBe("accepted");
  });

  it("is refused where messages of the library are read", () => {
    expect(refusal({ role: "user", content: media })).not.toBe("accepted");
  });
});

describe("an image that is recorded elsewhere", () => {
  const image = {
    type: "image",
    sha256: "0123456789abcdef".repeat(4),
    media_type: "image/png",
    width: 640,
    height: 480,
  };
  const content = [{ type: "text", text: "see " }, image];
  const part = { type: "image", sha256: image.sha256, mediaType: "image/png", width: 640, height: 480 };

  it.each([
    ["user", {}, {}],
    ["tool", { tool_call_id: "1" }, { toolCallId: "1" }],
  ])("is a part of the message of a %s, in the shape of answers too", (role, wire, own) => {
    const message = read({ role, content, ...wire });
    expect(message).toStrictEqual({ role, content: [content[0], part], ...own });
    expect(toChatMessage(message as Message)).toStrictEqual({ role, content, ...wire });
  });

  it.each(["system", "developer", "assistant"])("is refused in a %s message", (role) => {
    expect(refusal({ role, content })).not.toBe("accepted");
  });

  it("is refused in a request of an agent", () => {
    const { error } = requestMessagesSchema.safeParse([{ role: "user", content }]);
    expect(JSON.stringify(error?.issues)).toContain('received a part of type \\"image\\"');
  });

  it.each<[string, object]>([
    ["a digest in capitals", { sha256: image.sha256.toUpperCase() }],
    ["a digest that is too long", { sha256: `${image.sha256}0` }],
    ["a media type that is not of an image", { media_type: "text/png" }],
    ["a width of 0", { width: 0 }],
    ["a height that is not whole", { height: 1.5 }],
  ])("is refused with %s", (_, change) => {
    expect(refusal({ role: "user", content: [{ ...image, ...change }] })).not.toBe("accepted");
  });
});

describe("a message in the shape of answers", () => {
  it.each<[string, object]>([
    ["a system message", { role: "system", content: "a" }],
    ["a developer message", { role: "developer", content: "a", name: "n" }],
    ["a user message", { role: "user", content: "a", name: "n" }],
    ["a tool result", { role: "tool", content: "a", tool_call_id: "1", name: "n" }],
    ["an answer", { role: "assistant", content: "a" }],
    [
      "reasoning and calls",
      { role: "assistant", content: "", reasoning_content: "r", tool_calls: toolCalls, name: "n" },
    ],
  ])("is the same again for %s", (_, message) => {
    expect(toChatMessage(read(message) as Message)).toStrictEqual(message);
  });

  it("names the call of a tool result with an empty id if it has none", () => {
    expect(toChatMessage({ role: "tool", content: "a" })).toStrictEqual({
      role: "tool",
      content: "a",
      tool_call_id: "",
    });
  });

  it("shows reasoning and calls of assistants only", () => {
    const extras = { reasoning: "r", toolCalls: [{ id: "1", name: "f", arguments: "" }] };
    expect(toChatMessage({ role: "user", content: "a", ...extras })).toStrictEqual({ role: "user", content: "a" });
  });

  it("leaves out an empty name and empty reasoning", () => {
    expect(toChatMessage({ role: "assistant", content: "a", name: "", reasoning: "" })).toStrictEqual({
      role: "assistant",
      content: "a",
    });
  });
});
