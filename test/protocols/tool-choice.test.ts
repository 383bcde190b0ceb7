import { describe, expect, it } from "vitest";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";
import { joinName, readNamespacedNames } from "../../src/protocols/responses/namespaces.js";
import { chat, claude, messages, responses } from "./support/short-requests.js";

/** The tools of a prompt, and the choice between them. */

const parameters = { type: "object", properties: { a: { type: "string" } } };

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

it("only strict tools of a request of messages must have arguments of their schema", () => {
  const strictOf = (strict?: boolean | null) =>
    claude({ tools: [{ name: "f", input_schema: parameters, ...(strict !== undefined && { strict }) }] }).calls.strict;
  expect(strictOf(true)).toEqual(new Set(["f"]));
  for (const strict of [false, undefined]) expect(strictOf(strict)).toEqual(new Set());
});

it("messages answer with one call if the choice names a tool or forbids parallel calls", () => {
  const tools = ["f", "g"].map((name) => ({ name, input_schema: parameters }));
  const rules = (tool_choice: object) => claude({ tools, tool_choice }).calls;
  expect(rules({ type: "tool", name: "f" })).toMatchObject({ mustCall: "tool_choice", single: "tool_choice" });
  expect(rules({ type: "auto", disable_parallel_tool_use: true })).toMatchObject({
    mustCall: undefined,
    single: "tool_choice.disable_parallel_tool_use",
  });
  expect(rules({ type: "any", disable_parallel_tool_use: false })).toMatchObject({
    mustCall: "tool_choice",
    single: undefined,
  });
});

it("of responses names function tools only", () => {
  const message = "only function tools are supported; received one of type";
  for (const tool_choice of [
    { type: "custom", name: "f" },
    { type: "allowed_tools", mode: "auto", tools: [{ type: "custom", name: "f" }] },
  ])
    expect(() => responses({ tools: [{ type: "function", name: "f" }], tool_choice })).toThrow(message);
});

it("a thinking budget of messages is less than max_tokens", () => {
  const budget = (max_tokens: number) => claude({ max_tokens, thinking: { type: "enabled", budget_tokens: 1024 } });
  expect(() => budget(1024)).toThrow("thinking.budget_tokens must be less than max_tokens (1024); received 1024.");
  expect(budget(1025).stream).toBe(false);
});

describe("a choice of allowed tools", () => {
  const tools = ["f", "g"].map((name) => ({ type: "function", name, parameters }));
  const allow = (mode: string, ...names: string[]) => {
    const allowed = names.map((name) => ({ type: "function", name }));
    return responses({ tools, tool_choice: { type: "allowed_tools", mode, tools: allowed } }).conversation;
  };

  it("hides the other tools", () => {
    expect(allow("auto", "g").tools?.map((each) => each.function.name)).toEqual(["g"]);
    expect(allow("auto", "f", "g").tools).toHaveLength(2);
  });
});

describe("tools of a namespace", () => {
  it("are shown with the namespace in front of their names", () => {
    const members = [{ type: "function", name: "find", parameters }];
    const { conversation } = responses({
      tools: [
        { type: "namespace", name: "crm", tools: members },
        { type: "function", name: "f", parameters },
      ],
    });
    expect(conversation.tools?.map((each) => each.function.name)).toEqual(["crm__find", "f"]);
  });

  it("are known by the names that the model is shown", () => {
    const declared = [
      { type: "function", name: "f" },
      { type: "namespace", name: "crm__", tools: [{ name: "find" }] },
    ];
    expect([...readNamespacedNames(declared)]).toEqual([["crm__find", { namespace: "crm__", name: "find" }]]);
    expect([joinName("crm", "find"), joinName(null, "find"), joinName("", "find")]).toEqual([
      "crm__find",
      "find",
      "find",
    ]);
  });
});

describe("an answer that the client has begun", () => {
  const begun = [...messages, { role: "assistant", content: "Well," }];
  const parse = (extra: object) =>
    parseMessages(messagesSchema.parse({ messages: begun, max_tokens: 2048, ...extra })).conversation;
  const [, , declared] = PROTOCOLS[2];

  it("is continued", () => {
    expect(parse({})).toEqual({ messages, prefill: "Well," });
    expect(parse({ tools: declared, tool_choice: { type: "auto" } }).prefill).toBe("Well,");
  });

  it.each([
    ["tool_choice", { tools: declared, tool_choice: { type: "any" } }],
    ["tool_choice", { tools: declared, tool_choice: { type: "tool", name: "f" } }],
    ["thinking", { thinking: { type: "enabled", budget_tokens: 1024 } }],
  ])("is refused together with %s", (param, extra) => {
    expect(() => parse(extra)).toThrow(expect.objectContaining({ param }));
  });
});

describe("tools that a message refers to", () => {
  it("are defined in its place, each once", () => {
    const tools = ["f", "g"].map((name) => ({ name, input_schema: parameters, defer_loading: name === "g" }));
    const reference = { type: "tool_reference", tool_name: "g" };
    const content = [{ type: "tool_result", tool_use_id: "1", content: [reference, reference] }];
    const { conversation } = parseMessages(
      messagesSchema.parse({ messages: [...messages, { role: "user", content }], max_tokens: 9, tools }),
    );
    const definition = `{"name":"g","parameters":${JSON.stringify(parameters)}}`;
    expect(conversation.messages.at(-1)?.content).toBe(
      `<functions>\n<function>${definition}</function>\n<function>{"name":"g"}</function>\n</functions>`,
    );
    expect(conversation.tools?.map((each) => each.function.name)).toEqual(["f"]);
    expect(conversation.loadedTools?.map((each) => each.function.name)).toEqual(["g"]);
  });
});
