import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { configKeys, configSections } from "../../src/config/key.js";
import { configReferencePage } from "../../src/config/reference-page.js";

describe("docs/reference/configuration.md", () => {
  it("is what the schema generates: npm run build, then node scripts/generate-config-docs.mjs", () => {
    const committed = readFileSync(new URL("../../docs/reference/configuration.md", import.meta.url), "utf8");
    expect(committed).toBe(configReferencePage());
  });

  it("describes every key once", () => {
    const page = configReferencePage();
    for (const { path, description } of configKeys) {
      expect(page.split(`| \`${path}\` |`)).toHaveLength(2);
      expect({ path, description }).toEqual({ path, description: expect.stringMatching(/\.$/) as string });
    }
  });

  it("has a table for every section that holds keys", () => {
    const holding = configSections.filter((section) => {
      return configKeys.some(({ path }) => path.slice(0, path.lastIndexOf(".")) === section);
    });
    for (const section of holding) expect(configReferencePage()).toContain(`### ${section}\n`);
  });
});
