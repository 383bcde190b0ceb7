import { describe, expect, it } from "vitest";
import { RESERVED_ARGS, sameTemplateArgs, type TemplateArgs } from "../../src/conversation/template-args.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { parseSpelled } from "../../src/support/json/spelled.js";

const spelled = (text: string) => runAtOnce(parseSpelled(text)) as TemplateArgs;

describe("the variables of two chat templates", () => {
  it.each<[string, TemplateArgs | undefined, TemplateArgs | undefined]>([
    ["equal values", { a: [1, "b"] }, { a: [1, "b"] }],
    ["no variables and none given", {}, undefined],
    ["none given", undefined, undefined],
    ["numbers in the same spelling", spelled('{"a":1.0}'), spelled('{ "a" : 1.0 }')],
  ])("are the same with %s", (_, a, b) => {
    expect(sameTemplateArgs(a, b)).toBe(true);
    expect(sameTemplateArgs(b, a)).toBe(true);
  });

  it.each<[string, TemplateArgs | undefined, TemplateArgs | undefined]>([
    ["other values", { a: 1 }, { a: 2 }],
    ["a variable more", { a: 1 }, undefined],
    ["another order of keys", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["numbers in another spelling", spelled('{"a":1.0}'), spelled('{"a":1}')],
  ])("differ with %s", (_, a, b) => {
    expect(sameTemplateArgs(a, b)).toBe(false);
    expect(sameTemplateArgs(b, a)).toBe(false);
  });

  it("are reserved if the proxy sets them", () => {
    expect([...RESERVED_ARGS]).toEqual(["messages", "tools", "add_generation_prompt"]);
  });
});
