import { describe, expect, it } from "vitest";
import { findCallStructure, type ToolFamily } from "../../../../src/model/output/family-lookup.js";
import { buildOutputStructure, type OutputRules } from "../../../../src/model/output/structure/output-structure.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { byteLevelText, encodeText, read } from "../support/outputs.js";
import { buildTag, RULES, toolWith } from "../support/structure-checks.js";

/** Which texts xgrammar accepts for families whose whole output one reader reads, and that the reader reads them. */

const TOOLS = [
  ...RULES.tools,
  toolWith("set", { note: { anyOf: [{ type: "string" }, { type: "null" }] }, list: { type: "array" } }, []),
];
const SCHEMA = JSON.stringify({ type: "object", properties: { a: { type: "integer" } }, required: ["a"] });

interface Checked {
  readonly family: Extract<ToolFamily, "gpt_oss" | "kimi_k3">;
  readonly promptEnd: string;
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

async function expectAccepted(
  rules: Partial<OutputRules>,
  { family, promptEnd, accepted, refused }: Checked,
): Promise<void> {
  const tag = buildTag(family, { tools: TOOLS, promptEnd, ...rules });
  const results = [];
  for (const text of [...accepted, ...refused]) results.push([text, await accepts(tag, text)]);
  expect(results).toEqual([...accepted.map((text) => [text, true]), ...refused.map((text) => [text, false])]);
}

function readCalls(family: Checked["family"], promptEnd: string, output: string) {
  const text = byteLevelText([]);
  const pushes = [Int32Array.from(encodeText(text, output))];
  const { message, toolCalls } = read(text, { tools: family, reasoning: family }, pushes, { tools: TOOLS, promptEnd });
  return [toolCalls, (message.toolCalls ?? []).map((call) => [call.name, JSON.parse(call.arguments) as unknown])];
}

describe("the gpt_oss grammar in xgrammar", () => {
  const promptEnd = "<|start|>assistant";
  const family = "gpt_oss";
  const analysis = "<|channel|>analysis<|message|>Call functions.get_weather to=functions.x?<|end|><|start|>assistant";
  const preamble = "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant";
  const call = (name: string, args: string) =>
    `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${args}`;
  const inRole = (name: string, args: string) => ` to=functions.${name}<|channel|>commentary json<|message|>${args}`;
  const rome = '{"city": "Rome"}';
  const final = (text: string) => `<|channel|>final<|message|>${text}`;

  it("requires a call if mustCall is set, and our parser reads the accepted text", async () => {
    const accepted = [
      call("get_weather", rome),
      `${call("get_weather", rome)}<|call|>`,
      inRole("get_weather", rome),
      `${analysis}${call("ping", "{}")}`,
      `${analysis}${preamble}${analysis}${inRole("ping", "{}")}<|call|>`,
    ];
    const refused = [
      final("No."),
      `${analysis}${final("No.")}`,
      analysis,
      call("other", "{}"),
      call("get_weather", "{}"),
      call("get_weather", '{"city": 1}'),
      `${call("ping", "{}")}<|call|>${promptEnd}${call("ping", "{}")}`,
    ];
    await expectAccepted({ mustCall: true }, { family, promptEnd, accepted, refused });
    for (const text of accepted) {
      const args = text.includes("Rome") ? ["get_weather", { city: "Rome" }] : ["ping", {}];
      expect(readCalls(family, promptEnd, text)).toEqual(["calls", [args]]);
    }
  });

  it("allows free text and checks calls of strict tools by their schema", async () => {
    const accepted = [
      final("No."),
      `${analysis}${final("to=functions.ping")}`,
      `${analysis}${call("get_weather", rome)}<|call|>`,
    ];
    const refused = [`${analysis}${call("get_weather", "{}")}`, `${analysis.slice(0, -9)}assistant to=functions.other`];
    await expectAccepted({}, { family, promptEnd, accepted, refused });
    const loose = {
      family,
      promptEnd,
      accepted: [call("get_weather", '{"a": 1}')],
      refused: [call("ping", '{"a": 1}')],
    } as const;
    await expectAccepted({ strict: new Set(["ping"]) }, loose);
    const two = `${call("ping", "{}")}<|call|>${promptEnd}${call("ping", "{}")}`;
    await expectAccepted({ single: true }, { family, promptEnd, accepted: [call("ping", "{}")], refused: [two] });
  });

  it("writes an answer that matches a schema into the final channel", async () => {
    const accepted = [final('{"a": 1}'), `${analysis}${final('{"a": 1}')}`];
    const refused = ['{"a": 1}', final("{}"), final("No.")];
    await expectAccepted(
      { jsonSchema: SCHEMA, tools: [] },
      { family, promptEnd, accepted, refused: [...refused, call("ping", "{}")] },
    );
    await expectAccepted(
      { jsonSchema: SCHEMA },
      { family, promptEnd, accepted: [...accepted, call("ping", "{}")], refused },
    );
  });

  it("does not exist if the prompt has begun a message, which a schema then follows", () => {
    const begun = "<|start|>assistant<|channel|>final<|message|>";
    expect(() => buildTag(family, { mustCall: true, promptEnd: begun })).toThrow("has no structural tag");
    const structure = findCallStructure(family, () => false);
    const rules = { ...RULES, tools: [], jsonSchema: SCHEMA, promptEnd: begun };
    expect(buildOutputStructure(structure, undefined, rules)).toEqual({ kind: "json_schema", schema: SCHEMA });
  });
});

describe("the kimi_k3 grammar in xgrammar", () => {
  const family = "kimi_k3";
  const message = '<|open|>message role="assistant"<|sep|>';
  const [thinking, answering] = [`${message}<|open|>think<|sep|>`, `${message}<|open|>response<|sep|>`];
  const argument = (key: string, type: string, value: string) =>
    `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`;
  const call = (name: string, index: number, ...args: readonly string[]) =>
    `<|open|>call tool="${name}" index="${index}"<|sep|>${args.join("")}<|close|>call<|sep|>`;
  const tools = (...calls: readonly string[]) => `<|open|>tools<|sep|>${calls.join("")}<|close|>tools<|sep|>`;
  const response = (text: string) => `<|open|>response<|sep|>${text}<|close|>response<|sep|>`;
  const end = "<|close|>message<|sep|>";
  const closed = "<|close|>response<|sep|>";
  const rome = call("get_weather", 1, argument("city", "string", "Rome \n <x>"), argument("days", "number", "2"));
  const ping = call("ping", 2);

  it("requires calls if mustCall is set, and our parser reads the accepted text", async () => {
    const accepted = [`${closed}${tools(rome, ping)}${end}`, `I look.${closed}${tools(rome, ping)}`];
    const refused = [
      `No.${closed}${end}`,
      `${closed}${tools()}${end}`,
      `${closed}${tools(call("other", 1))}${end}`,
      `${closed}${tools(call("get_weather", 1))}`,
      `${closed}${tools(call("get_weather", 1, argument("city", "number", "1")))}`,
      `${closed}${tools(call("get_weather", 1, argument("city", "string", "a"), argument("days", "number", "x")))}`,
    ];
    await expectAccepted({ mustCall: true }, { family, promptEnd: answering, accepted, refused });
    const meant = [
      ["get_weather", { city: "Rome \n <x>", days: 2 }],
      ["ping", {}],
    ];
    for (const text of accepted) expect(readCalls(family, answering, text)).toEqual(["calls", meant]);
    const one = `Hm.<|close|>think<|sep|>${response("")}${tools(rome)}${end}`;
    const two = `Hm.<|close|>think<|sep|>${response("")}${tools(rome, ping)}${end}`;
    await expectAccepted(
      { mustCall: true },
      { family, promptEnd: thinking, accepted: [one, two], refused: [tools(rome)] },
    );
    await expectAccepted(
      { mustCall: true, single: true },
      { family, promptEnd: thinking, accepted: [one], refused: [two] },
    );
  });

  it("lets the model choose a type that the schema allows", async () => {
    const set = (...args: readonly string[]) => `${closed}${tools(call("set", 1, ...args))}`;
    const accepted = [
      set(),
      set(argument("note", "null", "null")),
      set(argument("note", "string", "null"), argument("list", "array", "[1]")),
    ];
    const refused = [
      set(argument("note", "number", "1")),
      set(argument("list", "object", "{}")),
      set(argument("list", "array", "{}")),
    ];
    await expectAccepted({ mustCall: true }, { family, promptEnd: answering, accepted, refused });
  });

  it("allows free text and checks calls of strict tools by their schema", async () => {
    const accepted = [`No.${closed}${end}`, `${closed}${tools(rome, ping)}${end}`];
    const refused = [`${closed}${tools(call("get_weather", 1))}${end}`];
    await expectAccepted({}, { family, promptEnd: answering, accepted, refused });
    await expectAccepted(
      { strict: new Set(["ping"]) },
      { family, promptEnd: answering, accepted: refused, refused: [] },
    );
  });

  it("writes an answer that matches a schema into the response", async () => {
    const accepted = [`{"a": 1}${closed}${end}`];
    const refused = ['{"a": 1}', `{}${closed}${end}`];
    await expectAccepted({ jsonSchema: SCHEMA, tools: [] }, { family, promptEnd: answering, accepted, refused });
    const called = `${closed}${tools(ping)}${end}`;
    await expectAccepted(
      { jsonSchema: SCHEMA },
      { family, promptEnd: answering, accepted: [...accepted, called], refused },
    );
    const thought = `Hm.<|close|>think<|sep|>${response('{"a": 1}')}${end}`;
    await expectAccepted(
      { jsonSchema: SCHEMA, tools: [] },
      { family, promptEnd: thinking, accepted: [thought], refused: accepted },
    );
  });
});
