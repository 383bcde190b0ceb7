import { describe, expect, it } from "vitest";
import type { TranscriptInteraction } from "../../../src/transcript/format.js";
import { findTools } from "../../../src/view/page/state/find-tools.js";

const tools = [{ type: "function", function: { name: "shell" } }] as const;
const call = (fields: Partial<TranscriptInteraction>) => fields as TranscriptInteraction;

describe("the tools of a call", () => {
  it("are its own, or those of the earlier call that has the same list", () => {
    const first = call({ tools });
    expect(findTools(first, [first])).toBe(tools);
    expect(findTools(call({ tools_of: 0 }), [first])).toBe(tools);
  });

  it("are not shown again if they are those of the parent", () => {
    expect(findTools(call({}), [call({ tools })])).toBeUndefined();
  });
});
