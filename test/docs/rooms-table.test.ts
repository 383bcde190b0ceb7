import { expect, it } from "vitest";
import { z } from "zod";
import { tableRows } from "../helpers/page.js";
import { readRepositoryFile } from "./markdown.js";

const rule = z.object({
  "no-restricted-imports": z.tuple([
    z.literal("error"),
    z.object({ patterns: z.tuple([z.object({ message: z.string() })]) }),
  ]),
});
const lintConfig = z.object({ overrides: z.array(z.object({ rules: z.record(z.string(), z.unknown()) })) });

/** What the linter lets each room import, as its messages say: `src/config may import support (…)`. */
function linted(): Map<string, string[]> {
  const { overrides } = lintConfig.parse(JSON.parse(readRepositoryFile(".oxlintrc.json")));
  const messages = overrides
    .filter(({ rules }) => "no-restricted-imports" in rules)
    .map(({ rules }) => rule.parse(rules)["no-restricted-imports"][1].patterns[0].message);
  return new Map(
    messages.map((message) => {
      const [, room = "", others = ""] = /^src\/(\w+) may import (.+) \(/.exec(message) ?? [];
      return [room, others === "no other room" ? [] : others.split(", ")];
    }),
  );
}

it("docs/explanation/architecture.md lets each room import what the linter lets it import", () => {
  const rows = tableRows(
    readRepositoryFile("docs/explanation/architecture.md"),
    "| room | what it is for | may import |",
  );
  const documented = rows.map((row) => {
    const [room = "", , imports = ""] = row.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, ""));
    return [room.replaceAll("`", ""), [...imports.matchAll(/`(\w+)`/g)].map(([, name]) => name)] as const;
  });
  const limited = documented.filter(([room]) => room !== "cli");
  expect(Object.fromEntries(limited)).toEqual(Object.fromEntries(linted()));
});
