import { describe, expect, it } from "vitest";
import { messagesSchema, parseMessages } from "../../src/protocols/messages/request.js";

const thinking = (text: string) => ({ type: "thinking", thinking: text, signature: "s" });
const answer = (...content: object[]) => ({ role: "assistant", content });
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "3" }] };
const messages = [
  { role: "user", content: "one" },
  answer(thinking("A"), { type: "text", text: "1" }),
  { role: "user", content: "two" },
  answer({ type: "text", text: "2" }),
  { role: "user", content: "three" },
  answer(thinking("B"), { type: "tool_use", id: "c", name: "f", input: {} }),
  result,
  answer(thinking("C"), { type: "text", text: "3" }),
  { role: "user", content: "four" },
];

function reasoningAfter(management: unknown): (string | undefined)[] {
  const request = messagesSchema.parse({ max_tokens: 16, messages, context_management: management });
  return parseMessages(request)
    .conversation.messages.map(({ reasoning }) => reasoning)
    .filter(Boolean);
}

const clear = (fields: object) => ({ edits: [{ type: "clear_thinking_20251015", ...fields }] });

describe("context_management", () => {
  it.each([
    ["null", null],
    ["without edits", { edits: [] }],
    ["that keeps all thinking", clear({ keep: "all" })],
    ["that keeps all thinking, spelled as an object", clear({ keep: { type: "all" } })],
    ["that keeps more turns than there are", clear({ keep: { type: "thinking_turns", value: 5 } })],
  ])("%s changes nothing", (_, management) => {
    expect(reasoningAfter(management)).toEqual(["A", "B", "C"]);
  });

  it.each([
    ["says how many", { keep: { type: "thinking_turns", value: 1 } }],
    ["says nothing", {}],
  ])("clears the thinking of all turns but the last, whose calls count as one turn, if it %s", (_, fields) => {
    expect(reasoningAfter(clear(fields))).toEqual(["B", "C"]);
  });

  it.each([
    ["clear_tool_uses_20250919", { edits: [{ type: "clear_tool_uses_20250919" }] }],
    ["no turns", clear({ keep: { type: "thinking_turns", value: 0 } })],
    ["a text", "all"],
  ])("is refused with %s", (_, management) => {
    const { error } = messagesSchema.safeParse({ max_tokens: 16, messages, context_management: management });
    expect(error?.issues[0]).toMatchObject({ path: ["context_management"], params: { unsupported: true } });
  });
});
