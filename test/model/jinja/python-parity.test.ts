import { describe, expect, it } from "vitest";
import { compileTemplate, isDict, type Value } from "../../../src/model/jinja/index.js";
import { fromJson } from "../../../src/model/template/from-json.js";
import {
  fixture,
  fixtureTemplate,
  fixtureTemplates,
  hasSharedTemplates,
  sharedJson,
  sharedTemplate,
  sharedTemplates,
} from "../support/golden.js";
import { GOLDEN_CONVERSATIONS } from "./golden-conversations.js";

type Variables = Map<string, Value>;

function variables(json: string): Variables {
  const value = fromJson(json);
  if (!isDict(value)) throw new Error("variables are an object");
  return new Map([...value].map(([name, entry]) => [String(name), entry]));
}

/** What a template renders, or "ERR" where it fails: Python's own words for it are not ours. */
function outcome(source: string, given: Variables, now: Date): string {
  try {
    return compileTemplate(source, () => now)(given).join("");
  } catch {
    return "ERR";
  }
}

const expected = (golden: string): string => (golden.startsWith("ERR ") ? "ERR" : golden);
const specialTokens = (...tokens: string[]): [string, Value][] =>
  ["bos_token", "eos_token", "pad_token", "unk_token"].flatMap((name, i) => (tokens[i] ? [[name, tokens[i]]] : []));

describe("expressions and statements", () => {
  const now = new Date(2026, 10, 20, 9, 5, 7);
  const cases = fixture<[string, string][]>("expressions.json");
  const golden = fixture<string[]>("expressions.golden.json");

  it.each(cases.map(([source, json], i) => [source, json, golden[i] ?? ""]))("%s with %s", (source, json, output) => {
    expect(outcome(source, variables(json), now)).toBe(expected(output));
  });
});

describe.each(fixtureTemplates())("template %s", (name) => {
  const now = new Date(2026, 10, 20, 9, 5, 7);
  const golden = fixture<Record<string, Record<string, string>>>("templates.golden.json")[name] ?? {};

  it.each(Object.entries(fixture<Record<string, string>>("conversations.json")))("renders %s", (key, json) => {
    const given = new Map([...specialTokens("<s>", "</s>"), ...variables(json)]);
    expect(outcome(fixtureTemplate(name), given, now)).toBe(expected(golden[key] ?? ""));
  });
});

describe.runIf(hasSharedTemplates)("published templates", () => {
  const now = new Date(2026, 10, 20);

  it("render as in Python, all of them", () => {
    const golden = sharedJson<Record<string, Record<string, string>>>("golden.json");
    const special = specialTokens("<BOS>", "<EOS>", "<PAD>", "<UNK>");
    const different: string[] = [];
    let renders = 0;
    for (const name of sharedTemplates()) {
      for (const [key, text] of Object.entries(golden[name] ?? {})) {
        const given = new Map([...special, ...variables(GOLDEN_CONVERSATIONS[key] ?? "{}")]);
        renders++;
        if (outcome(sharedTemplate(name), given, now) !== expected(text)) different.push(`${name} ${key}`);
      }
    }
    process.stdout.write(`${renders - different.length} of ${renders} renders are identical\n`);
    expect(different).toEqual([]);
    expect(renders).toBeGreaterThanOrEqual(250);
  });

  it("render small expressions as in Python, but for raw blocks", () => {
    const cases = sharedJson<[string, string][]>("micro_cases.json");
    const golden = sharedJson<string[]>("micro_golden.json");
    const different = cases.filter(
      ([source, json], i) => outcome(source, variables(json), now) !== expected(golden[i] ?? ""),
    );
    expect(different.map(([source]) => source)).toEqual(["{% raw %}{{ x }}{% endraw %}"]);
  });
});
