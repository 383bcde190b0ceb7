import { describe, expect, it } from "vitest";
import { generateContentSchema, parseGenerateContent } from "../../../src/protocols/generate-content/request.js";
import { DEFAULT_REQUEST as PLAIN } from "../../../src/protocols/request-sampling.js";

/** What Gemini's requests say about sampling, thinking and tools. */

const contents = [{ role: "user", parts: [{ text: "hello" }] }];
const parse = (extra: object) =>
  parseGenerateContent(generateContentSchema.parse({ contents, ...extra }), { model: "tiny", stream: false });
const configure = (generationConfig: object) => parse({ generationConfig });

describe("sampling", () => {
  it("is from the whole distribution if the request says nothing", () => {
    expect(parse({}).sampling).toEqual(PLAIN);
  });

  it("has every parameter of the request", () => {
    const generationConfig = {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 5,
      stopSequences: ["a", "b"],
      seed: 3,
      presencePenalty: -0.25,
      frequencyPenalty: 0.25,
      responseLogprobs: true,
      logprobs: 2,
      candidateCount: 1,
      responseModalities: ["TEXT"],
    };
    const parsed = parse({ generationConfig, min_p: 0.1, stop_token_ids: [7] });
    expect(parsed.sampling).toEqual({
      ...PLAIN,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      minP: 0.1,
      frequencyPenalty: 0.25,
      presencePenalty: -0.25,
      maxTokens: 5,
      stop: ["a", "b"],
      stopTokenIds: [7],
      seed: 3,
      topLogprobs: 2,
    });
    expect(parsed.logprobs).toBe("all");
    expect(configure({ max_output_tokens: 5, stop_sequences: ["a"] }).sampling).toMatchObject({
      maxTokens: 5,
      stop: ["a"],
    });
  });
});

describe("structured output", () => {
  const JSON_TYPE = "application/json";

  it.each([
    ["responseSchema", { type: "OBJECT" }, { type: "object" }],
    ["responseJsonSchema", { type: "object" }, { type: "object" }],
    ["_responseJsonSchema", { type: "object" }, { type: "object" }],
  ])("has the schema of %s", (name, schema, expected) => {
    const { structure } = configure({ responseMimeType: JSON_TYPE, [name]: schema }).sampling;
    expect(structure).toEqual({ param: `generationConfig.${name}`, jsonSchema: JSON.stringify(expected) });
  });

  it("allows objects and lists if the request has no schema", () => {
    const { structure } = configure({ responseMimeType: JSON_TYPE }).sampling;
    expect(structure?.jsonSchema).toBe('{"anyOf":[{"type":"object"},{"type":"array"}]}');
    expect(configure({ responseMimeType: "text/plain" }).sampling.structure).toBeUndefined();
  });

  it.each([
    ["a schema without the type of JSON", { responseSchema: { type: "OBJECT" } }, "generationConfig.responseSchema"],
    [
      "two schemas",
      { responseMimeType: JSON_TYPE, responseSchema: {}, responseJsonSchema: {} },
      "generationConfig.responseJsonSchema",
    ],
    ["logprobs without responseLogprobs", { logprobs: 2 }, "generationConfig.logprobs"],
  ])("refuses %s", (_, config, param) => {
    expect(() => configure(config)).toThrow(expect.objectContaining({ param }) as Error);
  });
});

describe("thinkingConfig", () => {
  it.each([
    ["thinkingBudget 0", { thinkingBudget: 0 }, { enable_thinking: false, thinking_budget: 0 }],
    ["a budget", { thinkingBudget: 512 }, { enable_thinking: true, thinking_budget: 512 }],
    ["a dynamic budget", { thinkingBudget: -1 }, { thinking_mode: "adaptive" }],
    ["a level", { thinkingLevel: "HIGH" }, { enable_thinking: true, reasoning_effort: "high" }],
    ["a level in lower case", { thinking_level: "low" }, { reasoning_effort: "low" }],
  ])("sets the variables of the template: %s", (_, thinkingConfig, args) => {
    expect(configure({ thinkingConfig }).conversation.templateArgs).toMatchObject(args);
  });

  it("sets none if it only asks for thoughts", () => {
    const parsed = configure({ thinkingConfig: { includeThoughts: true } });
    expect([parsed.includeThoughts, parsed.conversation.templateArgs]).toEqual([true, undefined]);
    expect(parse({}).includeThoughts).toBe(false);
  });

  it("must not have both budget and level", () => {
    const thinkingConfig = { thinkingBudget: 1, thinkingLevel: "LOW" };
    expect(generateContentSchema.safeParse({ contents, generationConfig: { thinkingConfig } }).success).toBe(false);
  });
});

describe("tools", () => {
  const functionDeclarations = [
    { name: "f", description: "d", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } },
    { name: "g", parametersJsonSchema: { type: "object", properties: { a: { type: "string" } } } },
    { name: "h" },
  ];
  const tools = [
    { functionDeclarations: functionDeclarations.slice(0, 2) },
    { functionDeclarations: functionDeclarations.slice(2) },
  ];
  const choose = (functionCallingConfig: object) => parse({ tools, toolConfig: { functionCallingConfig } });
  const shown = ({ conversation }: ReturnType<typeof parse>) => conversation.tools?.map((tool) => tool.function.name);

  it("have JSON Schema, however they are declared", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    expect(parse({ tools }).conversation.tools?.map((tool) => tool.function)).toEqual([
      { name: "f", description: "d", parameters },
      { name: "g", parameters },
      { name: "h", parameters: { type: "object", properties: {} } },
    ]);
  });

  it.each([
    [{ mode: "AUTO" }, ["f", "g", "h"], undefined, []],
    [{ mode: "any" }, ["f", "g", "h"], "toolConfig.functionCallingConfig", []],
    [{ mode: "ANY", allowedFunctionNames: ["g"] }, ["g"], "toolConfig.functionCallingConfig", []],
    [{ mode: "NONE" }, undefined, undefined, []],
    [{ mode: "VALIDATED" }, ["f", "g", "h"], undefined, ["f", "g", "h"]],
    [{ mode: "VALIDATED", allowed_function_names: ["f"] }, ["f"], undefined, ["f"]],
  ])("follow the mode: %j", (config, names, mustCall, strict) => {
    const parsed = choose(config);
    expect(shown(parsed)).toEqual(names);
    expect(parsed.calls).toEqual({ mustCall, single: undefined, strict: new Set(strict) });
  });

  it.each([
    ["names without a mode that uses them", { allowedFunctionNames: ["f"] }],
    ["unknown names", { mode: "ANY", allowedFunctionNames: ["x"] }],
  ])("refuse %s", (_, config) => {
    expect(() => choose(config)).toThrow(/^toolConfig\.functionCallingConfig/);
  });

  it("refuse a function with two schemas", () => {
    const twice = [{ functionDeclarations: [{ name: "f", parameters: {}, parametersJsonSchema: {} }] }];
    expect(generateContentSchema.safeParse({ contents, tools: twice }).success).toBe(false);
  });
});

describe("a last content of the model", () => {
  const continued = { contents: [...contents, { role: "model", parts: [{ text: "I say" }] }] };
  const tools = [{ functionDeclarations: [{ name: "f" }] }];
  const refusal =
    "contents: a last content of the model, which is continued, cannot be combined with a required call or JSON.";

  it("is continued", () => {
    expect(parse(continued).conversation.prefill).toBeDefined();
    expect(parse({ ...continued, tools }).conversation.prefill).toBeDefined();
  });

  it("is refused if a call or JSON is required", () => {
    const toolConfig = { functionCallingConfig: { mode: "ANY" } };
    expect(() => parse({ ...continued, tools, toolConfig })).toThrow(refusal);
    expect(() => parse({ ...continued, generationConfig: { responseMimeType: "application/json" } })).toThrow(refusal);
  });
});

describe("a tool choice", () => {
  const tools = [{ functionDeclarations: [{ name: "f" }] }];
  const argsOf = (mode: string | undefined, more: object = { tools }) =>
    parse({ ...more, ...(mode === undefined ? {} : { toolConfig: { functionCallingConfig: { mode } } }) }).conversation
      .templateArgs;

  it("is a variable of the template if the request makes one and has tools", () => {
    expect(argsOf("ANY")).toEqual({ tool_choice: "required" });
    expect([argsOf(undefined), argsOf("AUTO", {})]).toEqual([undefined, undefined]);
  });
});
