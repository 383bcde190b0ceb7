import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { listParserNames, parserNamesSource, registrySource, writeTables } from "../../../scripts/family-tables.js";
import { REASONING_PARSERS, TOOL_CALL_PARSERS } from "../../../src/config/schema/parser-names.js";
import { matchesTemplate } from "../../../src/model/output/choose-families.js";
import type { Family } from "../../../src/model/output/family.js";
import { isReasoningFamily, REASONING_FAMILIES, TOOL_FAMILIES } from "../../../src/model/output/family-lookup.js";
import { FAMILIES } from "../../../src/model/output/family-registry.js";
import { publishedModels, publishedTemplate } from "../support/golden.js";

const at = (path: string): URL => new URL(`../../../${path}`, import.meta.url);
const text = (path: string): string => readFileSync(at(path), "utf8");

const FILES = readdirSync(at("src/model/output/families")).map((name) => name.replace(/\.ts$/, ""));
const families: readonly Family[] = FAMILIES;
const names = { calls: TOOL_CALL_PARSERS, reasoning: REASONING_PARSERS };

describe("the output of `npm run docs:families`", () => {
  it("lists every file of families/ in the registry", () => {
    expect(text("src/model/output/family-registry.ts")).toBe(registrySource(FILES));
  });

  it("lets the configuration accept every family and no other name", () => {
    expect([...TOOL_CALL_PARSERS].sort()).toEqual([...TOOL_FAMILIES.keys()].sort());
    expect([...REASONING_PARSERS].sort()).toEqual([...REASONING_FAMILIES.keys()].sort());
    expect(text("src/config/schema/parser-names.ts")).toBe(parserNamesSource(listParserNames(families, names)));
  });

  it("has a row for every family in docs/explanation/output-parsing.md", () => {
    const page = text("docs/explanation/output-parsing.md");
    expect(page).toBe(writeTables(page, families, names));
    for (const name of [...TOOL_CALL_PARSERS, ...REASONING_PARSERS]) expect(page).toContain(`\n| \`${name}\` |`);
  });
});

describe("the tables of families", () => {
  it("keep published names in their order and put new ones last", () => {
    const published = { calls: ["mistral", "hermes"], reasoning: ["seed_oss", "kimi"] };
    const { calls, reasoning } = listParserNames(families, published);
    expect([calls.slice(0, 2), reasoning.slice(0, 2)]).toEqual([published.calls, published.reasoning]);
    expect([calls.length, reasoning.length]).toEqual([TOOL_CALL_PARSERS.length, REASONING_PARSERS.length]);
  });

  it("are refused if the page has no place for them", () => {
    expect(() => writeTables("# A page", families, names)).toThrow("<!-- tool_call_parser: … -->");
  });
});

describe("a family", () => {
  it("is named after its file", () => {
    expect(families.map(({ name }) => name.replaceAll("_", "-")).sort()).toEqual(FILES.toSorted());
  });

  it.each(FAMILIES)("$name has calls or reasoning", (family: Family) => {
    expect(family.calls ?? family.reasoning).toBeDefined();
  });

  it("names only existing families in thinksLike", () => {
    const named = families.flatMap((family) => ("output" in family ? [] : (family.calls?.thinksLike ?? [])));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !isReasoningFamily(name))).toEqual([]);
  });
});

describe("the chat template of a published model", () => {
  // If this holds, the order in which families are tried does not matter.
  it.each(publishedModels)("%s matches the texts of at most one family", (name) => {
    const template = publishedTemplate(name);
    const found = families.filter(
      ({ calls }) => calls && !calls.detection.isShared && matchesTemplate(template, calls.detection),
    );
    expect(found.length).toBeLessThanOrEqual(1);
  });
});
