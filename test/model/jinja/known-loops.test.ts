import { describe, expect, it } from "vitest";
import { compileTemplate, type Value } from "../../../src/model/jinja/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

/** A message that counts how often it is read. */
class CountedMessage extends Map<string, Value> {
  reads = 0;

  override get(key: string): Value | undefined {
    this.reads++;
    return super.get(key);
  }
}

const message = (text: string): CountedMessage => new CountedMessage([["text", text]]);
const messages = (count: number): CountedMessage[] => Array.from({ length: count }, (_, i) => message(String(i)));

type Variables = Readonly<Record<string, Value>>;

/** Renders twice; the second rendering knows the first. Returns the indices of the messages that were read again. */
function readAgain(source: string, first: Variables, second: Variables): number[] {
  const render = compileTemplate(source);
  const known = runAtOnce(render(new Map(Object.entries(first))));
  const list = second["messages"] as readonly CountedMessage[];
  for (const each of list) each.reads = 0;
  const { parts } = runAtOnce(render(new Map(Object.entries(second)), [known]));
  const again = list.flatMap(({ reads }, index) => (reads > 0 ? [index] : []));
  expect(parts).toEqual(runAtOnce(compileTemplate(source)(new Map(Object.entries(second)))).parts);
  return again;
}

/** Renders ten messages, and then the same with two more. */
function readAgainAfterTwoMore(source: string, first: Variables = {}, second = first): number[] {
  const ten = messages(10);
  return readAgain(source, { ...first, messages: ten }, { ...second, messages: [...ten, message("x"), message("y")] });
}

const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
const NEW = [10, 11];

describe("a loop over messages", () => {
  it("renders only new messages", () => {
    expect(readAgainAfterTwoMore("{% for m in messages %}{{ loop.index }}{{ m.text }}{% endfor %}end")).toEqual(NEW);
  });

  it("renders a changed message and those after it", () => {
    const ten = messages(10);
    const changed = ten.map((each, i) => (i === 6 ? message("new") : each));
    const source = "{% for m in messages %}{{ m.text }}{% endfor %}";
    expect(readAgain(source, { messages: ten }, { messages: changed })).toEqual([6, 7, 8, 9]);
  });

  it("renders the last message again if more messages followed it before", () => {
    const ten = messages(10);
    const source = "{% for m in messages %}{{ m.text }}{% if loop.last %}!{% endif %}{% endfor %}";
    expect(readAgain(source, { messages: ten }, { messages: ten.slice(0, 8) })).toEqual([7]);
    expect(readAgain(source, { messages: ten }, { messages: [...ten] })).toEqual([]);
  });

  it.each([
    ["whether it is the last one", "{% for m in messages %}{{ m.text }}{{ loop.last }}{% endfor %}"],
    ["the next item", "{% for m in messages %}{{ m.text }}{{ loop.nextitem is defined }}{% endfor %}"],
    ["the next message", "{% for m in messages %}{{ m.text }}{{ messages[loop.index0 + 1] is defined }}{% endfor %}"],
    [
      "the next message by its number",
      "{% for m in messages %}{{ m.text }}{{ messages[loop.index] is defined }}{% endfor %}",
    ],
  ])("renders the last message again if it reads %s", (_, source) => {
    expect(readAgainAfterTwoMore(source)).toEqual([9, ...NEW]);
  });

  it("renders the first message again if it reads the one before it, which is the last one of the list", () => {
    const source = "{% for m in messages %}{{ m.text }}{{ messages[loop.index0 - 1].text }}{% endfor %}";
    expect(readAgainAfterTwoMore(source)).toEqual([0, ...NEW].concat(9).sort((a, b) => a - b));
  });

  it.each([
    ["the first message", "{% for m in messages %}{{ m.text }}{{ messages[0] is defined }}{% endfor %}"],
    ["the previous item", "{% for m in messages %}{{ m.text }}{{ loop.previtem is defined }}{% endfor %}"],
    [
      "the number of parts of a message",
      "{% for m in messages %}{% for c in m.text %}{{ loop.length }}{% endfor %}{% endfor %}",
    ],
    ["a global function", "{% for m in messages %}{{ m.text }}{{ range(2) | length }}{% endfor %}"],
    ["a macro", "{% macro f(x) %}<{{ x }}{{ y }}>{% endmacro %}{% for m in messages %}{{ f(m.text) }}{% endfor %}"],
    ["an empty list", "{% set none_yet = [] %}{% for m in messages %}{{ m.text }}{{ none_yet | length }}{% endfor %}"],
    ["a namespace", "{% set ns = namespace(a=1) %}{% for m in messages %}{{ m.text }}{{ ns.a }}{% endfor %}"],
  ])("renders only new messages if it reads %s", (_, source) => {
    expect(readAgainAfterTwoMore(source)).toEqual(NEW);
  });

  it.each([
    ["the number of messages", "{% for m in messages %}{{ m.text }}{{ loop.length }}{% endfor %}"],
    ["the number of messages after it", "{% for m in messages %}{{ m.text }}{{ loop.revindex }}{% endfor %}"],
    ["the list itself", "{% for m in messages %}{{ m.text }}{{ messages | length }}{% endfor %}"],
    ["the last message", "{% for m in messages %}{{ m.text }}{{ messages[-1] is defined }}{% endfor %}"],
    [
      "a message two places before",
      "{% for m in messages %}{{ m.text }}{{ messages[loop.index0 - 2].text }}{% endfor %}",
    ],
    [
      "another list",
      "{% set other = messages[:] %}{% for m in messages %}{{ m.text }}{{ other[loop.index0] is defined }}{% endfor %}",
    ],
    ["what changed", "{% for m in messages %}{{ m.text }}{{ loop.changed(m.text) }}{% endfor %}"],
    [
      "whether two values are the same object",
      "{% set a = [] %}{% for m in messages %}{{ m.text }}{{ a is sameas a }}{{ [a] | select('sameas', a) | list | length }}{% endfor %}",
    ],
    [
      "the body of a call",
      "{% set ns = namespace() %}{% macro keep() %}{% set ns.c = caller %}{% endmacro %}{% call keep() %}{{ x }}{% endcall %}" +
        "{% for m in messages %}{{ m.text }}{% if loop.first %}{{ ns.c() }}{% endif %}{% set ns.c = 0 %}{% endfor %}",
    ],
    ["the loop as a value", "{% for m in messages %}{{ m.text }}{% set l = loop %}{{ l.length }}{% endfor %}"],
    [
      "another value named loop",
      "{% for m in messages %}{{ m.text }}{% set loop = {'index0': 5} %}{{ messages[loop.index0 + 1] is defined }}{% endfor %}",
    ],
    ["the time", "{% for m in messages %}{{ m.text }}{{ strftime_now('%Y') }}{% endfor %}"],
    ["a new list", "{% set l = [1] %}{% for m in messages %}{{ m.text }}{{ l | length }}{% endfor %}"],
    [
      "a macro that reads the list",
      "{% macro f(x) %}{{ x }}{{ messages | length }}{% endmacro %}{% for m in messages %}{{ f(m.text) }}{% endfor %}",
    ],
  ])("renders all messages again if it reads %s", (_, source) => {
    expect(readAgainAfterTwoMore(source)).toEqual(ALL);
  });

  it.each([
    ["a variable", "{% for m in messages %}{{ m.text }}{{ x }}{% endfor %}"],
    [
      "a variable in a macro",
      "{% macro f(t) %}{{ t }}{{ x }}{% endmacro %}{% for m in messages %}{{ f(m.text) }}{% endfor %}",
    ],
    ["a namespace", "{% set ns = namespace(x=x) %}{% for m in messages %}{{ m.text }}{{ ns.x }}{% endfor %}"],
    [
      "the macro that a variable holds",
      "{% macro f(t) %}{{ t }}{% endmacro %}{% macro g(t) %}{{ t }}!{% endmacro %}{% set h = f if x else g %}{% for m in messages %}{{ h(m.text) }}{% endfor %}",
    ],
    [
      "the namespace that a variable holds",
      "{% set a = namespace(n=0) %}{% set b = a if x else namespace(n=0) %}{% for m in messages %}{% set a.n = a.n + 1 %}{{ m.text }}{{ b.n }}{% endfor %}",
    ],
  ])("renders all messages again after a change of %s", (_, source) => {
    expect(readAgainAfterTwoMore(source, { x: true }, { x: false })).toEqual(ALL);
    expect(readAgainAfterTwoMore(source, { x: true })).toEqual(NEW);
  });

  it("leaves the namespaces as a full rendering would", () => {
    const source =
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% if m.text == '3' %}{% set ns.seen = true %}{% endif %}" +
      "{{ m.text }}{{ ns.n }}{{ ns.seen }}{% endfor %}{{ ns.n }}{{ ns }}";
    expect(readAgainAfterTwoMore(source)).toEqual(NEW);
  });

  it("restores the namespaces as they were before a removed message", () => {
    const source =
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{{ m.text }}{% endfor %}{{ ns.n }}";
    const ten = messages(10);
    expect(readAgain(source, { messages: ten }, { messages: [...ten.slice(0, 8), message("x")] })).toEqual([8]);
  });

  it("renders all messages again if the first one set a namespace from the last message of the list", () => {
    const source =
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = messages[loop.index0 - 1].text %}{{ m.text }}{{ ns.n }}{% endfor %}";
    expect(readAgainAfterTwoMore(source)).toEqual(ALL);
  });

  it("renders a message again if it ended the loop", () => {
    const source = "{% for m in messages %}{{ m.text }}{% if m.text == '8' %}{% break %}{% endif %}{% endfor %}";
    expect(readAgainAfterTwoMore(source)).toEqual([8]);
  });

  it("renders messages again after one that put a dict into a namespace", () => {
    const source =
      "{% set ns = namespace() %}{% for m in messages %}{% if m.text == '4' %}{% set ns.d = m %}{% endif %}{% endfor %}{{ ns.d.text }}";
    expect(readAgainAfterTwoMore(source)).toEqual([4, 5, 6, 7, 8, 9, ...NEW]);
  });

  it("takes iterations that the earlier rendering took itself", () => {
    const render = compileTemplate("{% for m in messages %}{{ m.text }}{% endfor %}");
    const list = messages(12);
    const renderFirst = (count: number, known: Parameters<typeof render>[1]) =>
      runAtOnce(render(new Map([["messages", list.slice(0, count)]]), known));
    const third = renderFirst(12, [renderFirst(11, [renderFirst(10, [])])]);
    expect(third.parts).toEqual(list.map((each) => each.get("text")));
    expect(list.map(({ reads }) => reads)).toEqual(list.map(() => 2));
  });

  it("takes iterations from the rendering with the longest common beginning", () => {
    const render = compileTemplate("{% for m in messages %}{{ m.text }}{% endfor %}");
    const list = messages(12);
    const other = [...list.slice(0, 9), message("other")];
    const known = [other, list.slice(0, 11), list.slice(0, 10)].map((each) =>
      runAtOnce(render(new Map([["messages", each]]))),
    );
    for (const each of list) each.reads = 0;
    runAtOnce(render(new Map([["messages", list]]), known));
    expect(list.map(({ reads }) => reads)).toEqual([...list.slice(1).map(() => 0), 1]);
  });
});
