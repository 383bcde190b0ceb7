import { describe, expect, it } from "vitest";
import { reasoningArgs, thinkingArgs } from "../../src/protocols/reasoning.js";

/** Variables of chat templates for an effort and for a thinking mode. Each family of templates reads some of them. */

const on = { enable_thinking: true, thinking: true, thinking_mode: "enabled" };
const off = { enable_thinking: false, thinking: false, thinking_mode: "disabled", thinking_budget: 0 };

describe("an effort", () => {
  it.each([
    ["minimal", "low"],
    ["low", "low"],
    ["medium", "high"],
    ["high", "high"],
    ["xhigh", "max"],
    ["max", "max"],
  ] as const)("of %s turns reasoning on and is %s for Kimi K3's template", (effort, kimi) => {
    expect(reasoningArgs(effort)).toEqual({ ...on, reasoning_effort: effort, thinking_effort: kimi });
  });

  it("of none turns reasoning off", () => {
    expect(reasoningArgs("none")).toEqual(off);
  });

  it("that is not given sets nothing", () => {
    expect(reasoningArgs(undefined)).toEqual({});
  });
});

describe("a thinking mode", () => {
  it("has its budget if there is one", () => {
    expect(thinkingArgs("enabled", 2048)).toEqual({ ...on, thinking_budget: 2048 });
    expect(thinkingArgs("enabled")).toEqual(on);
  });

  it("that is adaptive is on", () => {
    expect(thinkingArgs("adaptive")).toEqual({ ...on, thinking_mode: "adaptive" });
  });

  it("that is disabled has the budget 0", () => {
    expect(thinkingArgs("disabled", 2048)).toEqual(off);
  });
});
