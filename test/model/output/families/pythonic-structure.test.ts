import { describe, expect, it } from "vitest";
import { accepts } from "../../../helpers/xgrammar.js";
import { byteLevelText, encodeText, read } from "../support/outputs.js";
import { buildTag, toolWith } from "../support/structure-checks.js";

/** Which values the grammar of pythonic calls accepts, and that the reader reads all of them. */

const TOOLS = [
  toolWith(
    "set",
    {
      mode: { type: "string", enum: ["a b", 'say "x"'] },
      flag: { type: "boolean" },
      size: { type: ["integer", "null"] },
      ratio: { anyOf: [{ type: "number" }, { type: "boolean" }] },
      names: { type: "array", items: { type: "string" } },
      at: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } }, required: ["x"] },
      any: {},
    },
    ["flag"],
  ),
  toolWith("ping", {}, []),
  { type: "function" as const, function: { name: "free" } },
];

const ACCEPTED: readonly (readonly [text: string, args: object])[] = [
  ["[set(flag=True)]", { flag: true }],
  ["[set(mode='a b', flag=False)]", { mode: "a b", flag: false }],
  ['[set(mode="say \\"x\\"",flag=True)]', { mode: 'say "x"', flag: true }],
  ["[set(flag=True, size=None, ratio=-1.5e3)]", { flag: true, size: null, ratio: -1500 }],
  ["[set(flag=True, size=12, ratio=True)]", { flag: true, size: 12, ratio: true }],
  ["[set(flag=True, names=['it', \"é\\n\", 'it\\'s \\u00e9'])]", { flag: true, names: ["it", "é\n", "it's é"] }],
  ['[set(flag=True, names=[], at={"x": 1})]', { flag: true, names: [], at: { x: 1 } }],
  ['[set(flag=True, at={"x": 1, "y": 2})]', { flag: true, at: { x: 1, y: 2 } }],
  [
    "[set(flag=True, any={'k': [1, None, {\"a\": 'b'}], 'l': {}})]",
    { flag: true, any: { k: [1, null, { a: "b" }], l: {} } },
  ],
  ["[ping()]", {}],
  ["[free()]", {}],
  ['[free(a=1, b_2="x")]', { a: 1, b_2: "x" }],
];

const REFUSED = [
  "[set()]",
  "[set(flag=true)]",
  "[set(flag=True, flag=True)]",
  "[set(flag=True, mode='a b')]",
  "[set(mode='c', flag=True)]",
  "[set(flag=True, size=1.5)]",
  "[set(flag=True, names=[1])]",
  '[set(flag=True, at={"y": 2})]',
  '[set(flag=True, names=["a\nb"])]',
  "[set(flag=True,)]",
  "[set(flag=True), ]",
  "[ping(a=1)]",
  "[free(1)]",
  "[other()]",
  "[]",
];

describe("the grammar of pythonic calls", () => {
  const tag = buildTag("pythonic", { tools: TOOLS, mustCall: true });
  const text = byteLevelText([]);

  it.each(ACCEPTED)("accepts %s, which is read", async (written, args) => {
    expect(await accepts(tag, written)).toBe(true);
    const pushes = [Int32Array.from(encodeText(text, written))];
    const { message, toolCalls } = read(text, { tools: "pythonic", reasoning: "none" }, pushes, { tools: TOOLS });
    const calls = (message.toolCalls ?? []).map((call) => JSON.parse(call.arguments) as unknown);
    expect([toolCalls, calls]).toEqual(["calls", [args]]);
  });

  it.each(REFUSED)("refuses %j", async (written) => {
    expect(await accepts(tag, written)).toBe(false);
  });

  it("allows any value deep in a schema, and behind a reference", async () => {
    let deep: object = { type: "integer" };
    for (let depth = 0; depth < 40; depth++) deep = { type: "array", items: deep };
    const tools = [toolWith("set", { deep, ref: { $ref: "#/$defs/a" } }, [])];
    const loose = buildTag("pythonic", { tools, mustCall: true });
    expect(await accepts(loose, `[set(deep=${"[".repeat(12)}'x'${"]".repeat(12)}, ref={'a': 1})]`)).toBe(true);
    expect(await accepts(loose, "[set(deep=['x'])]")).toBe(false);
  });
});
