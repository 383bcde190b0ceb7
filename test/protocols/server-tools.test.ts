import { expect, it } from "vitest";
import { findServerTools, joinDropped, leaveOut } from "../../src/protocols/server-tools.js";

const tools = [{ type: "web_search" }, { type: "function" }, {}, { type: null }, { type: "web_search" }, { type: "x" }];
const found = findServerTools(tools, (type) => type === "function");

it("finds the tools that a prompt cannot show, with their places", () => {
  expect(found).toEqual([
    { param: "tools[0].type", type: "web_search" },
    { param: "tools[4].type", type: "web_search" },
    { param: "tools[5].type", type: "x" },
  ]);
});

it("refuses the first of them, and says how to leave such tools out", () => {
  const message =
    'tools[0].type: the server-side tool "web_search" is not supported. ' +
    'Set rollout.agent.server_tools to "drop" to leave such tools out of the prompt.';
  for (const policy of [undefined, "refuse"] as const) {
    expect(() => leaveOut(found, policy)).toThrow(
      expect.objectContaining({ message, param: "tools[0].type", code: "unsupported_parameter" }),
    );
  }
  expect(leaveOut([])).toEqual([]);
});

it("lists the types that are left out once, in a text that fits a header", () => {
  expect(joinDropped(leaveOut(found, "drop"))).toBe("web_search, x");
  expect(joinDropped(["a".repeat(200), "b".repeat(200)])).toBe(`${"a".repeat(200)}, ${"b".repeat(54)}`);
});
