import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../", import.meta.url);

interface LintConfig {
  readonly overrides: readonly {
    readonly files: readonly string[];
    readonly rules: Readonly<Record<string, unknown>>;
  }[];
}

/** Rooms whose imports are limited by the linter. */
function limitedRooms(): string[] {
  const { overrides } = JSON.parse(readFileSync(new URL(".oxlintrc.json", ROOT), "utf8")) as LintConfig;
  return overrides
    .filter(({ rules }) => "no-restricted-imports" in rules)
    .flatMap(({ files }) => files.flatMap((pattern) => /^src\/(\w+)\/\*\*$/.exec(pattern)?.[1] ?? []));
}

describe("rooms", () => {
  it("each have an import rule, except the command line", () => {
    const rooms = readdirSync(new URL("src/", ROOT), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "cli")
      .map(({ name }) => name);
    expect(limitedRooms().sort()).toEqual(rooms.sort());
  });
});
