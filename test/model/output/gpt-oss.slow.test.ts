import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { OutputEvent } from "../../../src/model/output/output-parser.js";
import type { byteLevelTokenizer } from "../support/bpe.js";
import { tokenizerPath } from "../support/published-tokenizers.js";
import { expectFixture, TOOLS } from "./support/fixtures.js";
import { HARMONY } from "./support/harmony-outputs.js";
import { encodeText, one, read, type TestText, testText } from "./support/outputs.js";

/** Outputs of gpt-oss in its own vocabulary, token by token. */

const FAMILIES = { tools: "gpt_oss", reasoning: "gpt_oss" } as const;
const START = "<|start|>assistant";

/** A vocabulary of this size takes seconds to load, and longer on a busy machine. */
const LOADING = 120_000;

let known: TestText | undefined;
const text = (): TestText => {
  if (!known) throw new Error("the vocabulary is not loaded");
  return known;
};

const said = (events: readonly OutputEvent[]): string =>
  events.map((event) => (event.type === "tool_call" ? `call ${event.name}` : `${event.type} ${event.text}`)).join("; ");

describe("gpt-oss in its own vocabulary", () => {
  beforeAll(() => {
    known = testText(
      JSON.parse(readFileSync(tokenizerPath("gptoss"), "utf8")) as ReturnType<typeof byteLevelTokenizer>,
    );
  }, LOADING);

  it("encodes each marker as one token", () => {
    const ids = encodeText(text(), "<|start|><|end|><|message|><|channel|><|constrain|><|return|><|call|>");
    expect(ids).toEqual([200006, 200007, 200008, 200005, 200003, 200002, 200012]);
  });

  // Its tokenizer.json has no token <|x|>, so the text differs.
  const outputs = Object.entries(HARMONY).filter(([, { output }]) => !output.includes("<|x|>"));
  it.each(outputs)("reads %s", (_, fixture) => {
    expectFixture(text(), FAMILIES, fixture);
    expect(fixture.output).not.toBe("");
  });

  it("returns the text of each token as soon as its channel is known", () => {
    const output =
      "<|channel|>analysis<|message|>I add.<|end|><|start|>assistant<|channel|>commentary<|message|>So 🫨:<|end|>" +
      '<|start|>assistant<|channel|>commentary to=functions.ping <|constrain|>json<|message|>{"a":1}<|call|>';
    const ids = encodeText(text(), output);
    const { told, reasoningTokens } = read(text(), FAMILIES, one(ids), { tools: TOOLS, promptEnd: START });
    const spelled = ids.map((id) => text().tokenizer.decode(Int32Array.of(id), { skipSpecialTokens: false }));
    const steps = told.map((events, i) => [spelled[i] ?? "end", said(events)]).filter(([, events]) => events !== "");
    expect(steps).toEqual([
      ["I", "reasoning I"],
      [" add", "reasoning  add"],
      [".", "reasoning ."],
      ["So", "text So"],
      ["\uFFFD", "text  🫨"],
      [":", "text :"],
      ["<|call|>", 'call ping; tool_call_arguments {"a":1}'],
    ]);
    // <|channel|> analysis <|message|> I add . <|end|>
    expect(reasoningTokens).toBe(7);
  });
});
