import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import { generateContentSchema, parseGenerateContent } from "../../../src/protocols/generate-content/request.js";
import { signReasoning } from "../../../src/protocols/reasoning-signature.js";

/** Gemini's contents, read into the messages that chat templates know. */

const NAMED = { model: "tiny", stream: false };
const readReasoning = (signature: string) => `read from ${Buffer.from(signature, "base64url").toString()}`;

const parse = (contents: unknown, extra: object = {}) =>
  parseGenerateContent(generateContentSchema.parse({ contents, ...extra }), { ...NAMED, readReasoning });
const read = (contents: unknown, extra: object = {}) => parse(contents, extra).conversation.messages;

const user = (...parts: object[]) => ({ role: "user", parts });
const model = (...parts: object[]) => ({ role: "model", parts });
const text = (value: string) => ({ text: value });
const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id ? { id } : {}) } });
const response = (name: string, value: object, id?: string) => ({
  functionResponse: { name, response: value, ...(id ? { id } : {}) },
});
const said = (content: string): Message => ({ role: "user", content });
const tool = (name: string, toolCallId: string, content: string): Message => ({
  role: "tool",
  name,
  toolCallId,
  content,
});

const [FIRST, SECOND] = [signReasoning("gen_1"), signReasoning("gen_2")];

describe("contents of the user", () => {
  it.each<[string, object[], Message[]]>([
    ["texts", [text("a"), text("b")], [said("ab")]],
    [
      "text around a response",
      [text("a"), response("f", {}, "1"), text("b")],
      [said("a"), tool("f", "1", "{}"), said("b")],
    ],
  ])("keep the order of their parts: %s", (_, parts, expected) => {
    expect(read([user(...parts)])).toEqual(expected);
  });

  it("that follow each other are messages of their own", () => {
    expect(read([user(text("a")), user(text("b"))])).toEqual([said("a"), said("b")]);
  });

  it("can leave out the role, and the lists around a single content and a single part", () => {
    expect(read([{ parts: [text("a")] }])).toEqual([said("a")]);
    expect(read({ role: "user", parts: text("a") })).toEqual([said("a")]);
  });

  it.each([
    [{ output: "sunny" }, "sunny"],
    [{ output: { degrees: 7 } }, '{"degrees":7}'],
    [{ error: "no such city" }, '{"error":"no such city"}'],
    [{ output: "sunny", degrees: 7 }, '{"output":"sunny","degrees":7}'],
    [{}, "{}"],
  ])("give a response %j as %s", (value, content) => {
    expect(read([user(response("f", value, "1"))])).toEqual([tool("f", "1", content)]);
  });
});

describe("responses with an id", () => {
  const once = response("f", { n: 1 }, "1");

  it.each<[string, object[], number]>([
    ["once if they are repeated", [once, response("f", { n: 2 }, "2"), once], 2],
    ["twice if their texts differ", [once, response("f", { n: 2 }, "1")], 2],
    ["twice if they are in two contents", [user(once), user(once)], 2],
    ["twice if they have no id", [response("f", { n: 1 }), response("f", { n: 1 })], 2],
  ])("are read %s", (_, sent, count) => {
    const answers = sent.every((each) => "role" in each) ? sent : [user(...sent)];
    const messages = read([user(text("a")), model(call("f", "1"), call("f", "2")), ...answers]);
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(count);
  });
});

describe("responses without an id", () => {
  it("answer the calls of their function in order", () => {
    const contents = [
      user(text("a")),
      model(call("f"), call("g"), call("f")),
      user(response("f", { n: 1 }), response("f", { n: 2 }), response("g", { n: 3 })),
      model(call("f")),
      user(response("f", { n: 4 })),
    ];
    const messages = read(contents);
    const ids = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
    expect(new Set(ids).size).toBe(4);
    const [first, second, third, fourth] = ids;
    const answered = messages.flatMap(({ toolCallId, content }) => (toolCallId ? [[toolCallId, content]] : []));
    expect(answered).toEqual([
      [first, '{"n":1}'],
      [third, '{"n":2}'],
      [second, '{"n":3}'],
      [fourth, '{"n":4}'],
    ]);
    expect(read(contents.slice(0, 3))).toEqual(messages.slice(0, 5));
  });

  it("leave out calls that a response with an id has answered", () => {
    const contents = [
      user(text("a")),
      model(call("f", "1"), call("f", "2")),
      user(response("f", {}, "1"), response("f", {})),
    ];
    expect(read(contents).slice(-2)).toEqual([tool("f", "1", "{}"), tool("f", "2", "{}")]);
  });

  it("are refused if no call of their function is left", () => {
    const contents = [user(text("a")), model(call("f")), user(response("f", {}), response("f", {}))];
    expect(() => read(contents)).toThrow(
      'contents[2].parts[1].functionResponse answers no call: no earlier functionCall of "f" is without a response.',
    );
  });
});

describe("contents of the model", () => {
  const thought = (value: string, signature?: string) => ({
    text: value,
    thought: true,
    ...(signature ? { thoughtSignature: signature } : {}),
  });

  it("that are the chunks of one streamed answer become one message", () => {
    const chunks = [
      model(thought("h", FIRST)),
      model(thought("m")),
      model(text("a")),
      model({ ...call("f", "1"), thoughtSignature: FIRST }),
      model({ text: "", thoughtSignature: FIRST }),
    ];
    expect(read([user(text("q")), ...chunks, user(response("f", {}, "1"))])[1]).toEqual({
      role: "assistant",
      content: "a",
      reasoning: "hm",
      toolCalls: [{ id: "1", name: "f", arguments: "{}" }],
    });
  });

  it.each([
    ["each ends with its signature", [model(text("a"), { text: "", thoughtSignature: FIRST }), model(text("b"))]],
    [
      "their signatures differ",
      [model({ ...call("f", "1"), thoughtSignature: FIRST }), model({ text: "b", thoughtSignature: SECOND })],
    ],
  ])("become two messages if %s", (_, contents) => {
    const messages = read([user(text("q")), ...contents, user(text("r"))]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "user"]);
  });

  it("get the reasoning of their signature, once, if they have no thoughts", () => {
    const contents = [
      user(text("q")),
      model({ ...call("f", "1"), thoughtSignature: FIRST }, { ...call("f", "2"), thoughtSignature: FIRST }),
      user(response("f", {}, "1")),
      model({ text: "b", thoughtSignature: SECOND }),
      user(text("r")),
    ];
    const reasoning = read(contents).flatMap((message) => message.reasoning ?? []);
    expect(reasoning).toEqual([FIRST, SECOND].map(readReasoning));
    expect(parse(contents).previousId).toBe("gen_2");
  });

  it("keep the thoughts that the client sends", () => {
    const contents = [user(text("q")), model(thought("hm", FIRST), { text: "b", thoughtSignature: FIRST })];
    expect(read([...contents, user(text("r"))])[1]?.reasoning).toBe("hm");
  });

  it("are continued if they are the last", () => {
    const { messages, prefill } = parse([user(text("q")), model(text("On"), text("ce"))]).conversation;
    expect([messages, prefill]).toEqual([[said("q")], "Once"]);
  });
});

it("reads the parts of the system instruction as paragraphs", () => {
  const systemInstruction = { role: "user", parts: [text("a"), text("b")] };
  expect(read([user(text("q"))], { systemInstruction })).toEqual([{ role: "system", content: "a\nb" }, said("q")]);
});

it("reads snake_case like camelCase, but not in arguments", () => {
  const snake = [
    user(text("q")),
    {
      role: "model",
      parts: [{ function_call: { name: "f", id: "1", args: { function_call: 1 } }, thought_signature: "s" }],
    },
    { role: "user", parts: [{ function_response: { name: "f", id: "1", response: { function_call: 2 } } }] },
  ];
  const messages = read(snake, { system_instruction: { parts: [text("s")] } });
  expect(messages[0]).toEqual({ role: "system", content: "s" });
  expect(messages[2]?.toolCalls).toEqual([{ id: "1", name: "f", arguments: '{"function_call":1}' }]);
  expect(messages[3]?.content).toBe('{"function_call":2}');
  const nulls = [{ role: null, parts: [{ text: "q", thought: null, function_call: null }] }];
  expect(read(nulls)).toEqual([said("q")]);
});

it("reads calls of any name, because an earlier answer can have one that no function has", () => {
  const contents = [user(text("q")), model(call("no such function", "1")), user(response("no such function", {}, "1"))];
  expect(read(contents)[1]?.toolCalls).toEqual([{ id: "1", name: "no such function", arguments: "{}" }]);
});

it.each([
  ["no contents", []],
  ["a content of the user without parts", [user()]],
  ["a part without data", [user({ thought: false })]],
  ["a part with two kinds of data", [user({ text: "a", ...response("f", {}, "1") })]],
  ["a call of the user", [user(call("f"))]],
  ["a response of the model", [user(text("a")), model(response("f", {}, "1"))]],
  ["an image of the model", [user(text("a")), model({ inlineData: { mimeType: "image/png", data: "" } })]],
  ["a part with a text and a file", [user({ text: "a", fileData: { fileUri: "https://example.com/a.png" } })]],
  ["an empty part beside a response", [user({ functionResponse: { name: "f", id: "1", parts: [{}] } })]],
  ["code that Google's server ran", [user(text("a")), model({ executableCode: { code: "1" } })]],
  ["an unknown role", [{ role: "assistant", parts: [text("a")] }]],
  ["a field in both spellings", [user({ thoughtSignature: "a", thought_signature: "b", text: "c" })]],
])("refuses %s", (_, contents) => {
  expect(generateContentSchema.safeParse({ contents }).success).toBe(false);
});

describe("a part is refused", () => {
  const problems = (body: object) =>
    generateContentSchema.safeParse(body).error?.issues.map(({ path, message }) => [path.join("."), message]);
  const foreign = (role: string, other: string) =>
    `belongs to a content of the role ${other}; received one of the role ${role}`;

  it.each(["executableCode", "codeExecutionResult", "toolCall", "toolResponse", "audioTranscription"])(
    "if it has %s",
    (name) => {
      expect(problems({ contents: [user({ text: "a", [name]: {} })] })).toEqual([
        [`contents.0.parts.0.${name}`, `${name} is not supported`],
      ]);
    },
  );

  it.each<[string, object, string]>([
    ["nothing", {}, "none"],
    ["two kinds of data", { text: "a", ...call("f") }, "text and functionCall"],
  ])("if it has %s", (_, part, received) => {
    const message = `must have one of text, functionCall, functionResponse, inlineData, fileData; received ${received}`;
    expect(problems({ contents: [user(part)] })?.[0]).toEqual(["contents.0.parts.0", message]);
  });

  it.each<[string, object, string, string]>([
    ["a call of the user", user(text("a"), call("f")), "1.functionCall", foreign("user", "model")],
    ["a response of the model", model(response("f", {})), "0.functionResponse", foreign("model", "user")],
    [
      "an image of the model",
      model({ inlineData: { mimeType: "a/b", data: "" } }),
      "0.inlineData",
      foreign("model", "user"),
    ],
    ["a file of the model", model({ fileData: { fileUri: "a" } }), "0.fileData", foreign("model", "user")],
  ])("if it is %s", (_, content, path, message) => {
    expect(problems({ contents: [content] })).toEqual([[`contents.0.parts.${path}`, message]]);
  });

  it("if the user has none, or the system instruction is no text", () => {
    expect(problems({ contents: [user()] })).toEqual([["contents.0.parts", "must hold at least 1"]]);
    expect(problems({ contents: [user(text("a"))], systemInstruction: { parts: [call("f")] } })).toEqual([
      ["systemInstruction.parts.0", "must be text"],
    ]);
    expect(problems({ contents: [user(text("a")), model()] })).toBeUndefined();
  });
});

it("reads a signature without text as an empty text, and an older role as the user's", () => {
  expect(read([user(text("a")), model({ thoughtSignature: FIRST }), { role: "function", parts: [text("b")] }])).toEqual(
    [said("a"), expect.objectContaining({ role: "assistant", content: "" }), said("b")],
  );
});
