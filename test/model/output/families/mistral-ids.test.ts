import { describe, expect, it } from "vitest";
import { TOOLS } from "../support/fixtures.js";
import { byteLevelText, encodeText, one, read } from "../support/outputs.js";

/** Mistral's chat templates refuse call ids that are not nine letters and digits, so none of another form is passed on. */

const MISTRAL = { tools: "mistral", reasoning: "none" } as const;
const text = byteLevelText(["[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"].map((content) => ({ content, special: true })));

function callIds(output: string): (string | undefined)[] {
  const { message } = read(text, MISTRAL, one(encodeText(text, output)), { tools: TOOLS });
  return (message.toolCalls ?? []).map(({ id }) => id);
}

const withId = (id: string) => `[TOOL_CALLS]ping[CALL_ID]${id}[ARGS]{}`;

describe("the id of a call", () => {
  it.each(["abcDEF123", "000000000", "ZZZZZZZZZ"])("is the model's: %s", (id) => {
    expect(callIds(withId(id))).toEqual([id]);
  });

  it("is the model's without the white space around it", () => {
    expect(callIds(withId(" abcDEF123 "))).toEqual(["abcDEF123"]);
  });

  it.each([
    ["too short", "abcDEF12"],
    ["too long", "abcDEF1234"],
    ["of other characters", "abc-EF123"],
    ["in two parts", "abcD F123"],
    ["after other text", "call abcDEF123"],
    ["empty", ""],
  ])("is a new one of nine letters and digits if the model's is %s", (_, id) => {
    const [given] = callIds(withId(id));
    expect(given).toMatch(/^[0-9A-Za-z]{9}$/);
    expect(id).not.toContain(given);
  });

  it("is a new one for each call without an id", () => {
    const ids = callIds("[TOOL_CALLS]ping[ARGS]{}[TOOL_CALLS]ping[ARGS]{}");
    expect(ids).toEqual([expect.stringMatching(/^[0-9A-Za-z]{9}$/), expect.stringMatching(/^[0-9A-Za-z]{9}$/)]);
    expect(ids[0]).not.toBe(ids[1]);
  });
});
