import { describe, expect, it } from "vitest";
import type { OutputFamilies } from "../../../../src/model/output/family-lookup.js";
import { expectFixture, type Fixture, makeTexts } from "../support/fixtures.js";

const FAMILIES: OutputFamilies = { tools: "hermes", reasoning: "none" };

const HERMES: Record<string, Fixture> = {
  "text alone": { output: "Hello there.\n", content: "Hello there.\n" },
  "a call alone": {
    output: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
    calls: [["get_weather", '{"city": "Paris"}']],
  },
  "text, then a call": {
    output: 'Let me look.\n\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Pa</tool_call"}}\n</tool_call>\n',
    content: "Let me look.",
    calls: [["get_weather", '{"city":"Pa</tool_call"}']],
  },
  "arguments with unusual spelling": {
    output:
      '<tool_call>{"name": "edit", "arguments": { "scale" : 1.50e+1,\n"path":"\\u00e9\\/" , "lines": [ ] }}</tool_call>',
    calls: [["edit", '{ "scale" : 1.50e+1,\n"path":"\\u00e9\\/" , "lines": [ ] }']],
  },
  "two calls and text around them": {
    output:
      'One.\n<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>\n<tool_call>\n{"arguments": {"city": "€"}, "name": "get_weather"}\n</tool_call>\n\nTwo.',
    content: "One.\nTwo.",
    calls: [
      ["ping", "{}"],
      ["get_weather", '{"city": "€"}'],
    ],
  },
  "a call without arguments": { output: '<tool_call>{"name": "ping"}</tool_call>', calls: [["ping", "{}"]] },
  "a tool that the request does not have": {
    output: '<tool_call>{"name": "pong", "arguments": {}}</tool_call>',
    calls: [["pong", "{}"]],
  },
  "a last call that is not closed": {
    output: '<tool_call>\n{"name": "ping", "arguments": {}}\n',
    calls: [["ping", "{}"]],
  },
  "a call that is not closed before the next": {
    output:
      '<tool_call>{"name": "ping", "arguments": {}}\n<tool_call>{"name": "ping", "arguments": {"a": 1}}</tool_call>',
    calls: [
      ["ping", "{}"],
      ["ping", '{"a": 1}'],
    ],
  },
  "a call without a name": {
    output: 'A\n<tool_call>\n{"arguments": {"a": 1}}\n</tool_call>\nB',
    content: 'A\n<tool_call>\n{"arguments": {"a": 1}}\n</tool_call>\nB',
    toolCalls: "malformed",
  },
  "a call that is not JSON": {
    output: "<tool_call>get_weather(Paris)</tool_call>",
    content: "<tool_call>get_weather(Paris)</tool_call>",
    toolCalls: "malformed",
  },
  "arguments that are not an object": {
    output: '<tool_call>{"name": "ping", "arguments": "{}"}</tool_call>',
    content: '<tool_call>{"name": "ping", "arguments": "{}"}</tool_call>',
    toolCalls: "malformed",
  },
  "arguments that are invalid JSON": {
    output: '<tool_call>{"name": "ping", "arguments": {"a": tru}}</tool_call>ok',
    content: '<tool_call>{"name": "ping", "arguments": {"a": tru}}</tool_call>ok',
    toolCalls: "malformed",
  },
  "extra text after the arguments": {
    output: '<tool_call>{"name": "ping", "arguments": {}}}</tool_call>',
    content: '<tool_call>{"name": "ping", "arguments": {}}}</tool_call>',
    toolCalls: "malformed",
  },
  "a valid call after a malformed one": {
    output: '<tool_call>{"name": 5}</tool_call>\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>',
    content: '<tool_call>{"name": 5}</tool_call>',
    calls: [["ping", "{}"]],
    toolCalls: "malformed",
  },
  "a call that the token limit cuts off": {
    output: 'So:\n<tool_call>{"name": "get_weather", "arguments": {"city": "Pa',
    content: 'So:\n<tool_call>{"name": "get_weather", "arguments": {"city": "Pa',
    toolCalls: "malformed",
    end: "length",
  },
  "a marker that the token limit cuts off": {
    output: "So: <tool_ca",
    content: "So: <tool_ca",
    end: "length",
  },
};

describe.each(makeTexts(FAMILIES))("the hermes parser, markers are %s", (_, text) => {
  it.each(Object.entries(HERMES))("reads %s", (_name, fixture) => {
    expectFixture(text, FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });
});
