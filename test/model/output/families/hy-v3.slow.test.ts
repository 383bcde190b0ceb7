import { describe, expect, it } from "vitest";
import { loadChatModel } from "../../../../src/model/load-chat-model.js";
import { accepts } from "../../../helpers/xgrammar.js";
import { writeModelFolder } from "../../support/model-folder.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";
import { buildTag, describeStrictTools, describeStructure } from "../support/structure-checks.js";
import type { MeantCall, WriteCalls } from "../support/written-calls.js";

const FAMILIES = { tools: "hy_v3", reasoning: "hy_v3" } as const;

/** Spells tags without the suffix that all of them have. */
const suffixed = (text: string): string => text.replaceAll(/<(\/?[a-z_]+)>/g, "<$1:opensource>");

const pair = (key: string, value: string, between = "\n"): string =>
  `${suffixed(`<arg_key>${key}</arg_key>${between}<arg_value>`)}${value}${suffixed("</arg_value>")}${between}`;
const call = (name: string, ...pairs: readonly string[]): string =>
  suffixed(`<tool_call>${name}<tool_sep>\n`) + pairs.join("") + suffixed("</tool_call>");
const section = (...calls: readonly string[]): string =>
  `${suffixed("<tool_calls>")}\n${calls.join("\n")}\n${suffixed("</tool_calls>")}`;

const malformed = (output: string): Fixture => ({ output, content: output, toolCalls: "malformed" });

const CALLS: Record<string, Fixture> = {
  "text and two calls": {
    output: `I look.${section(call("get_weather", pair("city", "12"), pair("days", "3")), call("ping"))}`,
    content: "I look.",
    calls: [
      ["get_weather", '{"city": "12", "days": 3}'],
      ["ping", "{}"],
    ],
  },
  "values by the schema, JSON without one, and text of several lines": {
    output: section(
      call("edit", pair("path", "null"), pair("note", "null"), pair("other", '{"a": [1.50]}')),
      call("get_weather", pair("city", "\nRo <b>\n me\n"), pair("metric", "true")),
    ),
    calls: [
      ["edit", '{"path": "null", "note": null, "other": {"a": [1.50]}}'],
      ["get_weather", '{"city": "\\nRo <b>\\n me\\n", "metric": true}'],
    ],
  },
  "a call on one line": {
    output:
      suffixed(`<tool_calls><tool_call>ping<tool_sep>`) + pair("a", "1", "") + suffixed("</tool_call></tool_calls>"),
    calls: [["ping", '{"a": 1}']],
  },
  "a call without the tags of the section": { output: call("ping"), calls: [["ping", "{}"]] },
  "a last call that is not closed": {
    output: suffixed("<tool_calls>\n<tool_call>ping<tool_sep>\n"),
    calls: [["ping", "{}"]],
  },
  "a tool that the request does not have": { output: section(call("pong")), calls: [["pong", "{}"]] },
  "tags without the suffix": {
    output: "<tool_calls>\n<tool_call>ping<tool_sep>\n</tool_call>\n</tool_calls>",
    content: "<tool_calls>\n<tool_call>ping<tool_sep>\n</tool_call>\n</tool_calls>",
  },
  "a call without a separator": malformed(suffixed("<tool_calls>\n<tool_call>ping</tool_call>\n</tool_calls>")),
  "a call without a name": malformed(section(call(""))),
  "a key without a value": malformed(section(suffixed("<tool_call>ping<tool_sep><arg_key>a</arg_key></tool_call>"))),
  "text between the arguments": malformed(section(call("ping", pair("a", "1"), "and", pair("b", "2")))),
  "a call that the token limit cuts off": {
    ...malformed(suffixed("<tool_calls>\n<tool_call>ping<tool_sep>\n<arg_key>a</arg_key>\n<arg_value>1")),
    end: "length",
  },
};

const REASONING: Record<string, Fixture> = {
  "reasoning, text and a call": {
    output: `${suffixed("<think>Hm.</think>")}Ok.${section(call("ping"))}`,
    reasoning: "Hm.",
    thought: [suffixed("<think>Hm.</think>")],
    content: "Ok.",
    calls: [["ping", "{}"]],
  },
  "reasoning that the prompt has begun": {
    output: `Hm.${suffixed("</think>")}Hi!`,
    promptEnd: suffixed("<think>"),
    reasoning: "Hm.",
    thought: [`Hm.${suffixed("</think>")}`],
    content: "Hi!",
  },
  "no reasoning after a prompt that has ended it": {
    output: "Hi!",
    promptEnd: suffixed("<think></think>"),
    content: "Hi!",
  },
  "a call in the reasoning, which is not a call": {
    output: `${suffixed("<think>")}${call("ping")}?${suffixed("</think>")}No.`,
    reasoning: `${call("ping")}?`,
    thought: [`${suffixed("<think>")}${call("ping")}?${suffixed("</think>")}`],
    content: "No.",
  },
  "reasoning that the token limit cuts off": {
    output: suffixed("<think>Hm."),
    end: "length",
    reasoning: "Hm.",
    thought: [suffixed("<think>Hm.")],
  },
};

describe.each(makeTexts(FAMILIES))("the hy_v3 parser, markers are %s", (_, text) => {
  it.each(Object.entries({ ...CALLS, ...REASONING }))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});

const PREVIEW = { tools: "hy_v3_preview", reasoning: "deepseek_v3" } as const;
const unsuffixed = (text: string): string => text.replaceAll(":opensource", "");

/** The same outputs as the preview spells them. */
const PREVIEWED = Object.entries({ ...CALLS, ...REASONING })
  .filter(([name]) => name !== "tags without the suffix")
  .map(([name, fixture]): [string, Fixture] => [
    name,
    {
      ...fixture,
      output: unsuffixed(fixture.output),
      ...(fixture.promptEnd === undefined ? {} : { promptEnd: unsuffixed(fixture.promptEnd) }),
      ...(fixture.content === undefined ? {} : { content: unsuffixed(fixture.content) }),
      ...(fixture.reasoning === undefined ? {} : { reasoning: unsuffixed(fixture.reasoning) }),
      ...(fixture.thought === undefined ? {} : { thought: fixture.thought.map(unsuffixed) }),
    },
  ]);

describe.each(makeTexts(PREVIEW))("the hy_v3_preview parser, markers are %s", (_, text) => {
  it.each(PREVIEWED)("reads %s", (_name, fixture) => {
    expectFixture(text, PREVIEW, fixture);
    expect(fixture.output).not.toContain(":opensource");
  });

  it("leaves tags with the suffix in the text", () => {
    const output = section(call("ping"));
    expectFixture(text, PREVIEW, { output, content: output });
    expect(output).toContain(":opensource");
  });
});

const plain = (value: string): string => (value.startsWith('"') ? (JSON.parse(value) as string) : value);
const writeOne = ({ name, args }: MeantCall): string =>
  call(name, ...Object.entries(args).map(([key, value]) => pair(key, plain(value))));
const write: WriteCalls = (calls) => section(...calls.map(writeOne));

describeStructure("hy_v3", write);
describeStrictTools("hy_v3", write);

const writePreview: WriteCalls = (calls) => unsuffixed(write(calls));
describeStructure("hy_v3_preview", writePreview);
describeStrictTools("hy_v3_preview", writePreview);

describe("the hy_v3 grammar with its own reasoning", () => {
  const ping = write([{ name: "ping", args: {} }]);

  it("accepts a call with or without reasoning before it", async () => {
    const tag = buildTag("hy_v3", { mustCall: true }, "hy_v3");
    expect(await accepts(tag, suffixed("<think>Hm, <tool_calls>?</think>") + ping)).toBe(true);
    expect(await accepts(tag, ping)).toBe(true);
  });

  it("refuses a call without the end of a reasoning that the prompt has begun", async () => {
    const tag = buildTag("hy_v3", { mustCall: true, promptEnd: suffixed("<think>") }, "hy_v3");
    expect([await accepts(tag, `Hm.${suffixed("</think>")}${ping}`), await accepts(tag, ping)]).toEqual([true, false]);
  });
});

/** A template in the manner of the published one: the suffix is appended to each tag. */
const TEMPLATE = `{%- set suffix = ':opensource' %}
{%- for message in messages %}
  {%- if message.role == 'assistant' %}
    {{- '<think{}>'.format(suffix) + '</think{}>'.format(suffix) + message.content }}
    {%- for call in message.tool_calls or [] %}
      {{- '<tool_call{}>'.format(suffix) + call.function.name + '<tool_sep{}>'.format(suffix) + '<arg_key{}>'.format(suffix) }}
    {%- endfor %}
  {%- else %}{{- message.content }}{%- endif %}
  {{- '<|im_end|>' }}
{%- endfor %}`;

describe("chooseFamilies", () => {
  const detect = async (template: string) => (await loadChatModel(writeModelFolder(template, ["<|im_end|>"]))).families;

  it("detects hy_v3 by a template that appends the suffix to its tags", async () => {
    expect(await detect(TEMPLATE)).toEqual(FAMILIES);
  });

  it("detects hy_v3_preview if the template appends no suffix", async () => {
    expect((await detect(TEMPLATE.replace(":opensource", ""))).tools).toBe("hy_v3_preview");
  });
});
