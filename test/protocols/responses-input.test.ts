import { describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { RequestError } from "../../src/protocols/request-error.js";
import type { InputItem } from "../../src/protocols/responses/input.js";
import { listNamedResponses, parseResponses, responsesSchema } from "../../src/protocols/responses/request.js";

/** Items of OpenAI's responses, read into the messages that chat templates know. */

const NO_EARLIER = {
  findMessages: () => [],
  findItem: () => undefined,
  countPlaceholders: () => 0,
  readReasoning: () => "",
};

function read(input: unknown): readonly Message[] {
  return parseResponses(responsesSchema.parse({ input }), NO_EARLIER).conversation.messages;
}

const said = (content: string) => ({ type: "message", role: "assistant", content });
const thought = (text: string) => ({ type: "reasoning", content: [{ type: "reasoning_text", text }] });
const called = (call_id: string) => ({ type: "function_call", call_id, name: "f", arguments: "{}" });
const returned = (call_id: string, output?: unknown) => ({ type: "function_call_output", call_id, output });

const call = (id: string) => ({ id, name: "f", arguments: "{}" });
const assistant = (content: string, rest: object = {}) => ({ role: "assistant", content, ...rest });

describe("items of the user's side", () => {
  it("are messages and results of calls", () => {
    const output = { type: "computer_screenshot", image_url: "data:image/png;base64,AA==" };
    const items = [
      called("1"),
      returned("1", "ok"),
      called("2"),
      { type: "computer_call_output", call_id: "2", output },
    ];
    const { messages } = parseResponses(responsesSchema.parse({ input: items }), NO_EARLIER, {
      images: "placeholder",
    }).conversation;
    expect(messages.filter(({ role }) => role === "tool")).toEqual([
      { role: "tool", content: "ok", toolCallId: "1" },
      { role: "tool", content: expect.stringContaining("image"), toolCallId: "2" },
    ]);
  });

  it("have no media in other messages than the user's", () => {
    const content = [
      { type: "input_text", text: "a" },
      { type: "input_image", image_url: "data:image/png;base64,AA==" },
    ];
    const parse = (role: string) => responsesSchema.safeParse({ input: [{ type: "message", role, content }] });
    expect(parse("user").success).toBe(true);
    const branches = parse("system").error?.issues.flatMap((issue) =>
      issue.code === "invalid_union" ? issue.errors.flat() : issue,
    );
    expect(branches).toContainEqual(
      expect.objectContaining({
        path: [0, "content", 1, "type"],
        message: expect.stringMatching(/only text parts.*"input_image"$/) as string,
      }),
    );
  });

  it("may be missing if the request continues a response", () => {
    const earlier = { ...NO_EARLIER, findMessages: () => [{ role: "user", content: "hello" } as const] };
    const request = responsesSchema.parse({ previous_response_id: "resp_1" });
    expect(parseResponses(request, earlier).conversation.messages).toEqual([{ role: "user", content: "hello" }]);
    expect(() => parseResponses(responsesSchema.parse({}), NO_EARLIER)).toThrow(RequestError);
  });
});

describe("items of the assistant are one turn", () => {
  it.each<[string, object[], object[]]>([
    ["reasoning, then a message", [thought("hm"), said("a")], [assistant("a", { reasoning: "hm" })]],
    ["reasoning in pieces", [thought("hm"), thought(" so")], [assistant("", { reasoning: "hm so" })]],
    [
      "reasoning, a message, then calls",
      [thought("hm"), said("a"), called("1"), called("2")],
      [assistant("a", { reasoning: "hm", toolCalls: [call("1"), call("2")] })],
    ],
    ["calls, then a message", [called("1"), said("a")], [assistant("a", { toolCalls: [call("1")] })]],
    ["calls alone", [called("1")], [assistant("", { toolCalls: [call("1")] })]],
  ])("%s", (_, items, expected) => {
    expect(read(items)).toEqual(expected);
  });
});

describe("items of the assistant begin another turn", () => {
  it.each<[string, object[], object[]]>([
    ["a message behind a message", [said("a"), said("b")], [assistant("a"), assistant("b")]],
    ["reasoning behind a message", [said("a"), thought("hm")], [assistant("a"), assistant("", { reasoning: "hm" })]],
    [
      "reasoning behind a call",
      [called("1"), thought("hm")],
      [assistant("", { toolCalls: [call("1")] }), assistant("", { reasoning: "hm" })],
    ],
    [
      "anything behind somebody else's item",
      [called("1"), returned("1", "r"), called("2")],
      [
        assistant("", { toolCalls: [call("1")] }),
        { role: "tool", content: "r", toolCallId: "1" },
        assistant("", { toolCalls: [call("2")] }),
      ],
    ],
  ])("%s", (_, items, expected) => {
    expect(read(items)).toEqual(expected);
  });
});

describe("an item", () => {
  it.each(["user", "system", "developer"])("of the %s is a message", (role) => {
    expect(read([{ type: "message", role, content: "a" }])).toEqual([{ role, content: "a" }]);
  });

  it("joins its parts, whatever their type is called", () => {
    const content = [
      { type: "input_text", text: "a" },
      { type: "output_text", text: "b" },
      { type: "text", text: "c" },
      { type: "refusal", refusal: "d" },
    ];
    expect(read([{ role: "user", content }])).toEqual([{ role: "user", content: "abcd" }]);
  });

  it.each([undefined, null])("with the output of a call may have none: %s", (output) => {
    expect(read([called("1"), returned("1", output)]).at(-1)).toEqual({ role: "tool", content: "", toolCallId: "1" });
  });

  it("of reasoning is its content, or its summary without content", () => {
    const summary = [
      { type: "summary_text", text: "in" },
      { type: "summary_text", text: " short" },
    ];
    const reasoning = (item: object) => read([{ type: "reasoning", summary, ...item }]);
    expect(reasoning({ content: thought("hm").content })).toEqual([assistant("", { reasoning: "hm" })]);
    for (const content of [[], null, undefined]) {
      expect(reasoning({ content })).toEqual([assistant("", { reasoning: "in short" })]);
    }
  });

  it("that names another is read in its place", () => {
    const known: InputItem = { type: "message", role: "assistant", content: "a" };
    const earlier = { ...NO_EARLIER, findItem: (id: string) => (id === "msg_1" ? known : undefined) };
    const parse = (id: string) => parseResponses(responsesSchema.parse({ input: [{ id }] }), earlier).conversation;
    expect(parse("msg_1").messages).toEqual([assistant("a")]);
    expect(() => parse("msg_2")).toThrow(RequestError);
  });
});

describe("a request goes on from", () => {
  const previousId = (request: object) => parseResponses(responsesSchema.parse(request), EARLIER).previousId;
  const EARLIER = { ...NO_EARLIER, findMessages: () => [{ role: "user" as const, content: "a" }] };
  const item = (id: string) => ({ ...said("a"), id });

  it("the response that it names", () => {
    const input = [item("msg_0a_0")];
    expect(previousId({ input, previous_response_id: "resp_0b" })).toBe("resp_0b");
  });

  it("the response of the last item that is of one", () => {
    const input = [item("msg_0a_0"), item("fc_0b_1"), item("of another service"), said("a")];
    expect(previousId({ input })).toBe("resp_0b");
  });

  it("none if its items are of none", () => {
    expect(previousId({ input: [item("of another service"), said("a")] })).toBeUndefined();
  });
});

describe("an item without a type", () => {
  it.each([{}, { type: null }])("is a message if it has a role: %j", (type) => {
    expect(read([{ ...type, role: "user", content: "hi" }])).toEqual([{ role: "user", content: "hi" }]);
  });
});

it("names the accepted types of items if it refuses another type", () => {
  const { error } = responsesSchema.safeParse({ input: [{ type: "computer_call" }] });
  expect(JSON.stringify(error?.issues)).toContain(
    "message, function_call, function_call_output, computer_call_output, reasoning and item_reference",
  );
});

describe("the responses that a request names", () => {
  const named = (body: object) => listNamedResponses(responsesSchema.parse(body));

  it("are the one that it continues, and those of its references", () => {
    const input = [{ id: "msg_0a_0" }, { ...said("a"), id: "msg_0b_0" }, { id: "of another service" }];
    expect(named({ input, previous_response_id: "resp_0c" })).toEqual(["resp_0c", "resp_0a"]);
    expect(named({ input: "hello" })).toEqual([]);
  });

  it("count for the placeholders only if the request continues them", () => {
    const earlier = { ...NO_EARLIER, countPlaceholders: () => 2 };
    const count = (body: object) => parseResponses(responsesSchema.parse(body), earlier).placeholders;
    expect(count({ input: "hello" })).toBe(0);
    expect(count({ input: "hello", previous_response_id: "resp_0c" })).toBe(2);
  });
});

it("begins with the instructions of its own request", () => {
  const messages = (body: object) => parseResponses(responsesSchema.parse(body), NO_EARLIER).conversation.messages;
  expect(messages({ input: "hello", instructions: "be brief" })).toEqual([
    { role: "system", content: "be brief" },
    { role: "user", content: "hello" },
  ]);
  expect(messages({ input: "hello", instructions: "" })).toEqual([{ role: "user", content: "hello" }]);
});
