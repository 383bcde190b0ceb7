import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configKeys, configSections } from "../../src/config/key.js";
import { writeReferencePage } from "../../src/config/reference-page.js";

describe("docs/reference/configuration.md", () => {
  it("is up to date with the schema; if not, run npm run docs:config", () => {
    const committed = readFileSync(new URL("../../docs/reference/configuration.md", import.meta.url), "utf8");
    expect(committed).toBe(writeReferencePage());
  });

  it("describes every key once", () => {
    const page = writeReferencePage();
    for (const { path, description } of configKeys) {
      expect(page.split(`| \`${path}\` |`)).toHaveLength(2);
      expect({ path, description }).toEqual({ path, description: expect.stringMatching(/\.$/) as string });
    }
  });

  it("has a table for every section with keys", () => {
    const holding = configSections.filter((section) => {
      return configKeys.some(({ path }) => path.slice(0, path.lastIndexOf(".")) === section);
    });
    for (const section of holding) expect(writeReferencePage()).toContain(`### ${section}\n`);
  });
});
