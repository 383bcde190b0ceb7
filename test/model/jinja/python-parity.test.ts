import { describe, expect, it } from "vitest";
import { fixture, fixtureTemplate, fixtureTemplates, publishedDigests, publishedTemplates } from "../support/golden.js";
import { digestRenderings, renderOrErr, withoutReason } from "./published-renderings.js";

describe.each([
  ["expressions and statements", "expressions"],
  ["idioms of published templates", "idioms"],
])("%s", (_, name) => {
  const cases = fixture<[string, string][]>(`${name}.json`);
  const golden = fixture<string[]>(`${name}.golden.json`);

  it.each(cases.map(([source, json], i) => [source, json, golden[i] ?? ""]))(
    "renders %s with %s",
    (source, json, output) => {
      expect(renderOrErr(source, json)).toBe(withoutReason(output));
    },
  );
});

describe.each(fixtureTemplates())("template %s", (name) => {
  const golden = fixture<Record<string, Record<string, string>>>("templates.golden.json")[name] ?? {};

  it.each(Object.entries(fixture<Record<string, string>>("conversations.json")))("renders %s", (key, json) => {
    const variables = `{"bos_token": "<s>", "eos_token": "</s>", ${json.slice(1)}`;
    expect(renderOrErr(fixtureTemplate(name), variables)).toBe(withoutReason(golden[key] ?? ""));
  });
});

describe("published templates", () => {
  // The templates belong to other projects, so this repository contains only digests.
  it.each(publishedTemplates)("%s renders like Python (`npm run test:renderings` shows differences)", (name) => {
    expect(digestRenderings(name, renderOrErr)).toEqual(publishedDigests[name]);
  });
});
